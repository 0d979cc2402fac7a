import { type KindedBlock, withKind } from '../../model/advice/culprit-kind.js';
import type { Search } from '../../model/advice/inlined-scan.js';
import type { Block } from '../../model/types.js';
import type { SourceFiles } from './source-files.js';
import { collectSources } from './source-lines.js';

/** Lines around the culprit's that are read, to find the head of its loop, and what else the loop does. */
const LINES_AROUND = { linesBefore: 40, linesAfter: 20 };

/** A block does not change: one that does is another object. */
const known = new WeakMap<Block, KindedBlock>();

/** As `withKinds`, of each block once: a page that loads needs all of them. */
export function withKnownKinds(blocks: readonly Block[], files: SourceFiles): readonly KindedBlock[] {
  const unknown = blocks.filter((block) => !known.has(block));
  for (const [index, kinded] of withKinds(unknown, files).entries()) known.set(unknown[index]!, kinded);
  return blocks.map((block) => known.get(block) ?? block);
}

/** The blocks with what their code looks like, read from the source, too, where its file is on this machine. */
export function withKinds(
  blocks: readonly Block[],
  files: SourceFiles,
  searchesOf?: (block: Block) => readonly Search[],
): readonly KindedBlock[] {
  const culprits = blocks.flatMap(({ culprit }) => (culprit ? { culprit } : []));
  const sources = collectSources(culprits, files, LINES_AROUND);
  return blocks.map((block) => withKind(block, sources, searchesOf));
}

import { type KindedBlock, withKind } from '../../model/culprit-kind.js';
import type { Search } from '../../model/inlined-scan.js';
import type { Block } from '../../model/types.js';
import type { SourceFiles } from './source-files.js';
import { collectSources } from './source-lines.js';

/** So many lines above the culprit's are read, to find the head of its loop. */
const LINES_BEFORE = 40;

/** The blocks with what their code looks like, read from the source, too, where its file is on this machine. */
export function withKinds(
  blocks: readonly Block[],
  files: SourceFiles,
  searchesOf?: (block: Block) => readonly Search[],
): readonly KindedBlock[] {
  const culprits = blocks.flatMap(({ culprit }) => (culprit ? { culprit } : []));
  const sources = collectSources(culprits, files, LINES_BEFORE);
  return blocks.map((block) => withKind(block, sources, searchesOf));
}

import { parseStack } from '../../model/stacks/stack.js';
import { parseLines } from '../../model/stacks/line-times.js';
import { MAX_LINE_LENGTH } from '../../model/advice/source-around.js';
import type { Block, Sources } from '../../model/types.js';
import { BYTES_PER_ANSWER, type SourceFiles } from './source-files.js';

const MAX_FILES = 300;
/** Lines shown before and after the culprit's line. */
const CONTEXT_LINES = 3;
/** A file of 2 MiB has no more. */
const MAX_LINE_NUMBER = 2 ** 21;
/** Lines in all that are looked up. Line numbers come from the network: they need not be those of a file. */
const MAX_WANTED_LINES = 100_000;

/** The lines that the blocks' stacks name, and some around each line of the culprits, of the files that may be shown. */
export function collectSources(
  blocks: Iterable<Pick<Block, 'culprit' | 'stackTrace' | 'lines'>>,
  files: SourceFiles,
  { linesBefore, linesAfter } = { linesBefore: CONTEXT_LINES, linesAfter: CONTEXT_LINES },
): Sources {
  const wanted = new Map<string, Set<number>>();
  let left = MAX_WANTED_LINES;
  const want = (filePath: string, lineNumber: number, before = 0, after = 0): void => {
    if (!Number.isInteger(lineNumber) || lineNumber < 1 || lineNumber > MAX_LINE_NUMBER) return;
    let lines = wanted.get(filePath);
    if (!lines) {
      if (wanted.size >= MAX_FILES) return;
      wanted.set(filePath, (lines = new Set()));
    }
    for (let line = lineNumber - before; line <= lineNumber + after && left > 0; line += 1) {
      lines.add(line);
      left -= 1;
    }
  };
  for (const { culprit, stackTrace, lines = '' } of blocks) {
    if (culprit) {
      for (const [line] of [[culprit.lineNumber], ...parseLines(lines)] as const)
        want(culprit.filePath, line, linesBefore, linesAfter);
    }
    for (const frame of parseStack(stackTrace ?? '')) if (frame.filePath) want(frame.filePath, frame.lineNumber ?? 0);
  }
  const budget = { bytes: BYTES_PER_ANSWER };
  return Object.fromEntries(
    [...wanted].flatMap(([filePath, numbers]) => {
      const lines = files.lines(filePath, budget);
      return lines ? [[filePath, chosenLines(lines, numbers)]] : [];
    }),
  );
}

function chosenLines(lines: readonly string[], wanted: ReadonlySet<number>): Record<string, string> {
  const found = [...wanted]
    .filter((line) => lines[line - 1] !== undefined)
    .sort((a, b) => a - b)
    .map((line): [string, string] => [String(line), lines[line - 1]!.slice(0, MAX_LINE_LENGTH)]);
  return Object.fromEntries(found);
}

import { readFileSync, statSync } from 'node:fs';
import path from 'node:path';

import { parseStack } from '../../model/stack.js';
import { parseLines } from '../../model/line-times.js';
import type { Block, Sources } from '../../model/types.js';

/** Stacks come from the network: only files with these extensions are read. */
const SOURCE_EXTENSIONS = new Set(['.js', '.mjs', '.cjs', '.jsx', '.ts', '.mts', '.cts', '.tsx', '.vue', '.svelte']);
const MAX_FILE_BYTES = 2 * 1024 * 1024;
const MAX_FILES = 300;
const MAX_LINE_LENGTH = 240;
/** Lines shown before and after the culprit's line. */
const CONTEXT_LINES = 3;
/** Lines in all that are looked up. Line numbers come from the network: they need not be those of a file. */
const MAX_LINES = 100_000;

/** The lines that the blocks' stacks name, and some around each line of the culprits, of the files that exist on this machine. */
export function collectSources(
  blocks: Iterable<Pick<Block, 'culprit' | 'stackTrace' | 'lines'>>,
  linesBefore = CONTEXT_LINES,
): Sources {
  const wanted = new Map<string, Set<number>>();
  let left = MAX_LINES;
  const want = (filePath: string, lineNumber: number, before = 0, after = 0): void => {
    if (!Number.isSafeInteger(lineNumber) || lineNumber <= 0) return;
    let lines = wanted.get(filePath);
    if (!lines) {
      if (wanted.size >= MAX_FILES) return;
      wanted.set(filePath, (lines = new Set()));
    }
    // Counted by offsets: a large number plus one can be the same number.
    for (let offset = -before; offset <= after && left > 0; offset += 1) {
      lines.add(lineNumber + offset);
      left -= 1;
    }
  };
  for (const { culprit, stackTrace, lines = '' } of blocks) {
    if (culprit) {
      for (const [line] of [[culprit.lineNumber], ...parseLines(lines)] as const)
        want(culprit.filePath, line, linesBefore, CONTEXT_LINES);
    }
    for (const frame of parseStack(stackTrace ?? '')) if (frame.filePath) want(frame.filePath, frame.lineNumber ?? 0);
  }
  return Object.fromEntries([...wanted].flatMap(([filePath, lines]) => readLines(filePath, lines) ?? []));
}

function readLines(filePath: string, wanted: ReadonlySet<number>): [[string, Record<string, string>]] | undefined {
  if (!path.isAbsolute(filePath) || !SOURCE_EXTENSIONS.has(path.extname(filePath))) return undefined;
  try {
    const stats = statSync(filePath);
    if (!stats.isFile() || stats.size > MAX_FILE_BYTES) return undefined;
    const lines = readFileSync(filePath, 'utf8').split(/\r?\n/);
    const found = [...wanted]
      .filter((line) => lines[line - 1] !== undefined)
      .sort((a, b) => a - b)
      .map((line): [string, string] => [String(line), lines[line - 1]!.slice(0, MAX_LINE_LENGTH)]);
    return [[filePath, Object.fromEntries(found)]];
  } catch {
    // The file is missing or unreadable: the stack is shown without source.
    return undefined;
  }
}

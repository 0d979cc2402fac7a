import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { frameOrigin, positionsOf, type FrameOrigin, type Origin } from '../../contract/frame-origin.js';
import type { FrameAnswer, FrameQuestion } from '../../contract/map-text.js';
import { findMap, readGenerated, readSource } from './find-map.js';
import { GeneratedText } from './generated-text.js';
import { compiledByJest } from './jest-cache.js';
import type { Pieces } from './json-scan.js';
import type { Position } from './mappings.js';
import {
  comparePositions,
  isMadeFrom,
  lookUp,
  openSourceMap,
  type MapEntry,
  type SourceMapBytes,
} from './source-map-bytes.js';
import { sourcePath } from './source-path.js';

/** A generated file with its source map, as far as both are kept. */
export interface MappedFile {
  readonly path: string;
  readonly text: GeneratedText;
  /** Undefined without a map that can be used. */
  readonly map: SourceMapBytes | undefined;
  /** What the sources of the map are relative to. */
  readonly directory: string;
  readonly byteLength: number;
  /** What Jest has compiled: it runs within another script. */
  readonly isWrapped: boolean;
}

/** The path of the file in a frame; undefined where it is no file of this machine. */
export function pathOfFile(fileName: string): string | undefined {
  try {
    const filePath = fileName.startsWith('file:') ? fileURLToPath(fileName) : fileName;
    return path.isAbsolute(filePath) ? filePath : undefined;
  } catch {
    return undefined;
  }
}

/**
 * What the frames of a file can be of: the file itself with its map, or what Jest has compiled from it, maybe with several
 * settings. None where the file cannot be the code that runs.
 */
export function* openMappedFiles(
  filePath: string,
  startedAtMs: number,
  jestCache: string | undefined,
): Pieces<MappedFile[]> {
  const compiled = jestCache === undefined ? [] : yield* openCompiled(filePath, jestCache);
  if (compiled.length > 0) return compiled;
  const file = yield* openMappedFile(filePath, startedAtMs);
  return file ? [file] : [];
}

/** What Jest has compiled from this very source, by the maps that contain it. */
function* openCompiled(filePath: string, jestCache: string): Pieces<MappedFile[]> {
  const source = yield* readSource(filePath);
  if (source === undefined) return [];
  const files: MappedFile[] = [];
  for (const { code, map: ownMap } of yield* compiledByJest(filePath, jestCache)) {
    const bytes = ownMap ?? (yield* findMap(filePath, code))?.bytes;
    if (!bytes) continue;
    try {
      const map = yield* openSourceMap(bytes);
      if (!(yield* isMadeFrom(map, source))) continue;
      const byteLength = code.bytes.length + bytes.length;
      files.push({
        path: filePath,
        text: new GeneratedText(code.bytes),
        map,
        directory: path.dirname(filePath),
        byteLength,
        isWrapped: true,
      });
    } catch {
      continue; // it is broken
    }
  }
  return files;
}

/** Opens a generated file and its map; undefined where the file cannot be the code that runs. */
function* openMappedFile(filePath: string, startedAtMs: number): Pieces<MappedFile | undefined> {
  const generated = yield* readGenerated(filePath, startedAtMs);
  if (!generated) return undefined;
  const text = new GeneratedText(generated.bytes);
  const byteLength = generated.bytes.length;
  const without = { path: filePath, text, map: undefined, directory: '', byteLength, isWrapped: false };
  const found = yield* findMap(filePath, generated);
  if (!found) return without;
  try {
    const map = yield* openSourceMap(found.bytes);
    // A map that the file does not name may be of another file.
    if (found.isUnnamed && map.file !== undefined && path.basename(map.file) !== path.basename(filePath))
      return without;
    return { ...without, map, directory: found.directory, byteLength: byteLength + found.bytes.length };
  } catch {
    return without; // it is broken
  }
}

/** Says where the frames of one file come from, in the order of the questions. */
export function* mapFrames(files: readonly MappedFile[], questions: readonly FrameQuestion[]): Pieces<FrameAnswer[]> {
  const answers: FrameAnswer[][] = [];
  for (const file of files) answers.push(yield* mapFramesOf(file, questions));
  return questions.map((_, i) => agreed(answers.map((ofFile) => ofFile[i]!)));
}

/** What all files say that can have the frame; where they do not agree, the line stays that of the compiled code. */
function agreed(answers: readonly FrameAnswer[]): FrameAnswer {
  const [first, ...others] = answers.filter((answer) => typeof answer === 'object');
  if (first === undefined) return answers[0] ?? 'none';
  return others.every(({ lineNumber }) => lineNumber === first.lineNumber) ? first : 'compiled';
}

function* mapFramesOf(file: MappedFile, questions: readonly FrameQuestion[]): Pieces<FrameAnswer[]> {
  const fitting = questions.map((question) =>
    file.isWrapped ? file.text.canContainPosition(question) : file.text.canContain(question),
  );
  const unmapped = fitting.map((fits): FrameAnswer => (fits ? 'none' : 'compiled'));
  if (!file.map) return unmapped;
  const positions = distinct(
    questions.flatMap((question, i) =>
      fitting[i] === true
        ? positionsOf(question).map(([line, column]) => ({ line: line - 1, column: column - 1 }))
        : [],
    ),
  );
  try {
    const { entries, lastColumns } = yield* lookUp(file.map, positions);
    for (const [line, column] of lastColumns) {
      if (column > (file.text.maxLength(line) ?? -1)) return unmapped; // the map is of another file
    }
    const entriesAt = new Map(positions.map((position, i) => [keyOf(position), entries[i]]));
    const sources = new Map<string, string>();
    const originOf = (line: number, column: number): Origin | undefined => {
      const entry = entriesAt.get(keyOf({ line: line - 1, column: column - 1 }));
      return entry && toOrigin(entry, column - 1, file, sources);
    };
    const hasText = (line: number, column: number, text: string): boolean =>
      file.text.hasText({ line: line - 1, column: column - 1 }, text);
    return questions.map((question, i) => {
      const origin = fitting[i] === true ? frameOrigin(question, originOf, hasText) : undefined;
      return origin ? withoutMinifiedClass(origin, question, file) : unmapped[i]!;
    });
  } catch {
    return unmapped;
  }
}

function toOrigin(entry: MapEntry, column: number, file: MappedFile, sources: Map<string, string>): Origin {
  let fileName = sources.get(entry.source);
  if (fileName === undefined) {
    fileName = sourcePath(entry.source, file.directory, file.path);
    sources.set(entry.source, fileName);
  }
  return {
    fileName,
    lineNumber: entry.line + 1,
    columnNumber: entry.column + 1,
    name: entry.name,
    isExact: entry.generatedColumn === column,
    generatedColumnNumber: entry.generatedColumn + 1,
  };
}

/** The short name of a class before the name of its method, as in `t.total`. */
const SHORT_CLASS = /^(?:new )?[\w$]{1,2}\.(?=[^.]+$)/;

/** The map does not have the name of a class at its methods, and a minifier gives it another name in each build. */
function withoutMinifiedClass(origin: FrameOrigin, question: FrameQuestion, { text }: MappedFile): FrameOrigin {
  const functionName = question.functionName.replace(SHORT_CLASS, '');
  const isShorter = functionName !== question.functionName;
  return isShorter && text.isMinified(question.functionLineNumber - 1) ? { ...origin, functionName } : origin;
}

/** In order, each once. */
function distinct(positions: readonly Position[]): Position[] {
  const sorted = positions.filter(({ line, column }) => line >= 0 && column >= 0).sort(comparePositions);
  return sorted.filter((position, i) => i === 0 || comparePositions(sorted[i - 1]!, position) !== 0);
}

function keyOf({ line, column }: Position): string {
  return `${line}:${column}`;
}

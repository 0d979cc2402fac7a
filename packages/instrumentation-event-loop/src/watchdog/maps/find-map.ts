import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Pieces } from './json-scan.js';
import { readRegularFile, type RegularFile } from './read-regular-file.js';

/** Bytes of a generated file, and of a map. */
const MAX_FILE_BYTES = 64 * 1024 * 1024;
const MAX_MAP_BYTES = 128 * 1024 * 1024;
const MAX_SOURCE_BYTES = 4 * 1024 * 1024;
/** Characters of the name of a map. */
const MAX_URL = 4096;
/** A map that is older than its file by more, ms, is one of an earlier build: a build writes both within a moment. */
const MAX_OLDER_MS = 10_000;

/** The bytes of a source map, and what its sources are relative to. */
export interface FoundMap {
  readonly bytes: Buffer;
  readonly directory: string;
  /** The file has no comment that names the map: the map itself must name the file. */
  readonly isUnnamed: boolean;
}

/** The generated file, where it can be the code that runs. */
export function* readGenerated(filePath: string, startedAtMs: number): Pieces<RegularFile | undefined> {
  const file = yield* readRegularFile(filePath, MAX_FILE_BYTES);
  // What was written after the process had started need not be what it has loaded.
  return file && file.modifiedMs <= startedAtMs ? file : undefined;
}

/** A source as text; undefined where it cannot be read. */
export function* readSource(filePath: string): Pieces<string | undefined> {
  return (yield* readRegularFile(filePath, MAX_SOURCE_BYTES))?.bytes.toString();
}

/** Finds the source map of a file: the one that its last comment names, within the file or beside it, else `<file>.map`. */
export function* findMap(filePath: string, generated: RegularFile): Pieces<FoundMap | undefined> {
  const url = mappingUrl(generated.bytes);
  if (url === 'broken') return undefined;
  const directory = path.dirname(filePath);
  if (url && isDataUrl(url.bytes)) {
    const bytes = yield* decodeDataUrl(url.bytes);
    return bytes && { bytes, directory, isUnnamed: false };
  }
  const mapPath = url ? pathOf(url.bytes, directory) : `${filePath}.map`;
  const map = mapPath === undefined ? undefined : yield* readRegularFile(mapPath, MAX_MAP_BYTES);
  if (!mapPath || !map || map.modifiedMs < generated.modifiedMs - MAX_OLDER_MS) return undefined;
  return { bytes: map.bytes, directory: path.dirname(mapPath), isUnnamed: url === undefined };
}

const COMMENTS = [Buffer.from('//# sourceMappingURL='), Buffer.from('//@ sourceMappingURL=')];
/** What stands behind the comment: the URL, white space, another comment or two. A text of the program has more. */
const MAX_TAIL = 1024;

/** The URL of the last comment; undefined without one. */
function mappingUrl(file: Buffer): { readonly bytes: Buffer } | undefined | 'broken' {
  const [comment, at] = COMMENTS.map((bytes) => [bytes, file.lastIndexOf(bytes)] as const).reduce((a, b) =>
    b[1] > a[1] ? b : a,
  );
  if (at === -1) return undefined;
  const start = at + comment.length;
  const lineEnd = file.indexOf('\n', start);
  let end = lineEnd === -1 ? file.length : lineEnd;
  if (file.length - end > MAX_TAIL) return undefined;
  while (end > start && file[end - 1]! <= 0x20) end--;
  return end === start ? 'broken' : { bytes: file.subarray(start, end) };
}

function isDataUrl(url: Buffer): boolean {
  return url.toString('latin1', 0, 5) === 'data:';
}

const BASE64 = ';base64';

function* decodeDataUrl(url: Buffer): Pieces<Buffer | undefined> {
  const comma = url.indexOf(',');
  if (comma === -1) return undefined;
  const isBase64 = url.toString('latin1', Math.max(0, comma - BASE64.length), comma) === BASE64;
  try {
    if (!isBase64) return Buffer.from(decodeURIComponent(url.toString('utf8', comma + 1, url.length)));
    const digits = url.subarray(comma + 1);
    const bytes = Buffer.allocUnsafeSlow(Math.ceil((digits.length * 3) / 4));
    let length = 0;
    // In parts: a text of the whole would not fit into the heap of the watchdog.
    for (let at = 0; at < digits.length; at += BASE64_PART) {
      length += bytes.write(digits.toString('latin1', at, Math.min(at + BASE64_PART, digits.length)), length, 'base64');
      yield;
    }
    return bytes.subarray(0, length);
  } catch {
    return undefined;
  }
}

/** A multiple of four digits. */
const BASE64_PART = 1024 * 1024;

/** Only of a file of this machine. */
function pathOf(url: Buffer, directory: string): string | undefined {
  if (url.length > MAX_URL) return undefined;
  const text = url.toString('utf8', 0, url.length);
  try {
    if (text.startsWith('file:')) return fileURLToPath(text);
    if (/^[a-z][a-z0-9+.-]+:/i.test(text) || text.startsWith('//')) return undefined;
    return path.resolve(directory, decodeURIComponent(text.split(/[?#]/, 1)[0] ?? ''));
  } catch {
    return undefined;
  }
}

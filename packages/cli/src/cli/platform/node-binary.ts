import { closeSync, constants, openSync, readSync } from 'node:fs';

/**
 * `node::Start(int, char**)`, a symbol that every binary of Node.js exports, or imports from `libnode.so`. It is among
 * the first megabytes. On Windows, its name is another one.
 */
const NODE_MARKERS = [Buffer.from('_ZN4node5StartEiPPc'), Buffer.from('?Start@node@@YAHH')];
const LONGEST_MARKER = Math.max(...NODE_MARKERS.map(({ length }) => length));
const CHUNK_BYTES = 4 * 1024 * 1024;
/** A binary of Node.js with all debugging information has less. A hostile file may have no end. */
const MAX_BINARY_BYTES = 256 * CHUNK_BYTES;

/**
 * Whether a file is a binary of Node.js, by what it contains. The name says nothing: a single executable has another one,
 * and another program can have the name `node`, and a handler for SIGUSR1 that ends it, as Go's runtime has.
 */
export function isNodeBinary(file: string): boolean {
  let descriptor: number;
  try {
    // Does not wait for a lease that a process may hold. Windows has no such flag.
    descriptor = openSync(file, constants.O_RDONLY | ((constants.O_NONBLOCK as number | undefined) ?? 0));
  } catch {
    return false;
  }
  try {
    return containsMarker(descriptor);
  } catch {
    return false;
  } finally {
    closeSync(descriptor);
  }
}

function containsMarker(descriptor: number): boolean {
  const buffer = Buffer.alloc(CHUNK_BYTES + LONGEST_MARKER);
  let kept = 0;
  for (let total = 0; total < MAX_BINARY_BYTES;) {
    const length = readSync(descriptor, buffer, kept, CHUNK_BYTES, null);
    if (length === 0) return false;
    total += length;
    const text = buffer.subarray(0, kept + length);
    if (NODE_MARKERS.some((marker) => text.includes(marker))) return true;
    // The marker may begin at the end of this chunk.
    const start = Math.max(0, kept + length - LONGEST_MARKER);
    buffer.copy(buffer, 0, start, kept + length);
    kept = kept + length - start;
  }
  return false;
}

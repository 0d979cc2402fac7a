import fs, { promises } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';

const write = promisify(fs.write);
/** As many as Linux follows. */
const MAX_LINKS = 40;
const RETRY_MS = 10;

/**
 * The descriptor of this process that a path names, also through links: `/dev/stdout`, `/dev/fd/3`, `/proc/self/fd/3`.
 * What is behind it must not be opened again: the position in a redirected file belongs to the descriptor, and a file in
 * the place of that file would not have what other programs write to it.
 */
export async function namedDescriptor(name: string): Promise<number | undefined> {
  const own = await promises.realpath('/proc/self/fd').catch(() => '/dev/fd');
  let file = path.resolve(name);
  for (let links = 0; links < MAX_LINKS; links += 1) {
    const directory = await promises.realpath(path.dirname(file)).catch(() => undefined);
    if (directory === undefined) return undefined;
    const base = path.basename(file);
    if (directory === own) return /^\d+$/.test(base) ? Number(base) : undefined;
    const target = await promises.readlink(path.join(directory, base)).catch(() => undefined);
    if (target === undefined) return undefined;
    file = path.resolve(directory, target);
  }
  return undefined;
}

/** Throws where nothing can be written to the descriptor. */
export function checkDescriptor(descriptor: number): void {
  fs.writeSync(descriptor, '');
}

/** Writes all of it, from where the descriptor is. A pipe that the program has made non-blocking may be full for a while. */
export async function writeToDescriptor(descriptor: number, content: string | Uint8Array): Promise<void> {
  let rest = Buffer.from(content);
  while (rest.length > 0) {
    try {
      const { bytesWritten } = await write(descriptor, rest);
      rest = rest.subarray(bytesWritten);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') throw error;
      await sleep(RETRY_MS);
    }
  }
}

import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import process from 'node:process';

const SUFFIX = '.loopwatch-hang.json';
/** The oldest go when there are more. */
const MAX_FILES = 64;
/** A report larger than this, in bytes, is not kept; nor is a file larger than this read. */
const MAX_BYTES = 256 * 1024;

/**
 * Reports on disk that were not delivered yet, so that one of a process killed while it hung is sent at the next start.
 * Files are readable by their owner alone. Nothing here throws: a spool that does not work is no spool.
 */
export class Spool {
  readonly #directory: string;

  constructor(directory: string) {
    this.#directory = directory;
  }

  /** Keeps a report; returns what forgets it again. */
  keep(body: string): () => void {
    const file = path.join(this.#directory, `${process.pid}-${Date.now()}-${randomBytes(4).toString('hex')}${SUFFIX}`);
    try {
      if (Buffer.byteLength(body) > MAX_BYTES) return () => undefined;
      fs.mkdirSync(this.#directory, { recursive: true, mode: 0o700 });
      // `wx`: never through a link or over a file that somebody has put there.
      fs.writeFileSync(file, body, { flag: 'wx', mode: 0o600 });
      for (const old of this.#files().slice(0, -MAX_FILES)) this.#remove(old);
    } catch {
      return () => undefined;
    }
    return () => {
      this.#remove(file);
    };
  }

  /** What processes that are gone have left, oldest first, with what forgets each. */
  leftovers(): { readonly body: string; readonly forget: () => void }[] {
    return this.#files().flatMap((file) => {
      const pid = Number(/^(\d+)-/.exec(path.basename(file))?.[1]);
      if (pid !== process.pid && isAlive(pid)) return [];
      const body = readRegularFile(file);
      if (body === undefined) return [];
      return [
        {
          body,
          forget: () => {
            this.#remove(file);
          },
        },
      ];
    });
  }

  #files(): string[] {
    try {
      const names = fs.readdirSync(this.#directory).filter((name) => name.endsWith(SUFFIX));
      const time = (name: string): number => Number(/^\d+-(\d+)-/.exec(name)?.[1] ?? 0);
      return names.sort((a, b) => time(a) - time(b)).map((name) => path.join(this.#directory, name));
    } catch {
      return [];
    }
  }

  #remove(file: string): void {
    try {
      fs.unlinkSync(file);
    } catch {
      // Somebody else has sent it.
    }
  }
}

function readRegularFile(file: string): string | undefined {
  try {
    const stat = fs.lstatSync(file);
    return stat.isFile() && stat.size <= MAX_BYTES ? fs.readFileSync(file, 'utf8') : undefined;
  } catch {
    return undefined;
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

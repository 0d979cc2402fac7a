import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import process from 'node:process';

const SUFFIX = '.loopwatch-hang.json';
/** Process id, epoch ms and a random number: other files are not ours, and left alone. */
const OWN_NAME = /^(\d+)-(\d+)-[0-9a-f]+\.loopwatch-hang\.json$/;
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
      for (const oldFile of this.#files().slice(0, -MAX_FILES)) this.#remove(oldFile);
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
      const pid = Number(OWN_NAME.exec(path.basename(file))?.[1]);
      if (pid !== process.pid && isProcessAlive(pid)) return [];
      const body = readOwnFile(file);
      if (body === undefined) return [];
      if (!isReport(body)) {
        this.#remove(file); // its process was killed while it wrote
        return [];
      }
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
      const names = fs.readdirSync(this.#directory).filter((name) => OWN_NAME.test(name));
      const time = (name: string): number => Number(OWN_NAME.exec(name)?.[2]);
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

/**
 * The text of a plain file of our own user: what another has put there is not sent in our name. Opened first and looked at
 * then, and never through a link, so that it cannot be changed in between.
 */
function readOwnFile(file: string): string | undefined {
  let descriptor: number | undefined;
  try {
    const { O_RDONLY, O_NOFOLLOW = 0, O_NONBLOCK = 0 } = fs.constants as Partial<typeof fs.constants>;
    descriptor = fs.openSync(file, (O_RDONLY ?? 0) | O_NOFOLLOW | O_NONBLOCK);
    const stat = fs.fstatSync(descriptor);
    const isOwn = process.geteuid === undefined || stat.uid === process.geteuid();
    return isOwn && stat.isFile() && stat.size <= MAX_BYTES ? fs.readFileSync(descriptor, 'utf8') : undefined;
  } catch {
    return undefined;
  } finally {
    if (descriptor !== undefined) fs.closeSync(descriptor);
  }
}

/** Whether it is a whole request with spans. */
function isReport(body: string): boolean {
  try {
    const request = JSON.parse(body) as { resourceSpans?: unknown } | null;
    return Array.isArray(request?.resourceSpans);
  } catch {
    return false;
  }
}

function isProcessAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

import fs from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { randomHex } from './random.js';

const SUFFIX = '.loopwatch-hang.json';
/** Process id, epoch ms and a random number. Files with other names are not ours and are left alone. */
const OWN_NAME = /^(\d+)-(\d+)-[0-9a-f]+\.loopwatch-hang\.json$/;
/** When there are more, the oldest are deleted. */
const MAX_FILES = 64;
/** Larger reports are not written and larger files are not read, bytes. */
const MAX_BYTES = 256 * 1024;

/**
 * Keeps reports on disk until they are delivered: the report of a process that was killed while it hung is sent at the
 * next start. Files are readable by their owner only. Never throws: where files cannot be written, reports are not
 * kept.
 */
export class Spool {
  readonly #directory: string;

  constructor(directory: string) {
    this.#directory = directory;
  }

  /** Writes a report; returns a function that deletes it. */
  keep(body: string): () => void {
    const file = path.join(this.#directory, `${process.pid}-${Date.now()}-${randomHex(4)}${SUFFIX}`);
    try {
      if (Buffer.byteLength(body) > MAX_BYTES) return () => undefined;
      fs.mkdirSync(this.#directory, { recursive: true, mode: 0o700 });
      // `wx`: follows no link and overwrites no file that another user has put there.
      fs.writeFileSync(file, body, { flag: 'wx', mode: 0o600 });
      for (const oldFile of this.#files().slice(0, -MAX_FILES)) this.#remove(oldFile);
    } catch {
      return () => undefined;
    }
    return () => {
      this.#remove(file);
    };
  }

  /** Reports of processes that have ended, oldest first, each with a function that deletes it. */
  leftovers(): { readonly body: string; readonly forget: () => void }[] {
    return this.#files().flatMap((file) => {
      const pid = Number(OWN_NAME.exec(path.basename(file))?.[1]);
      if (pid !== process.pid && isProcessAlive(pid)) return [];
      const body = readOwnFile(file);
      if (body === undefined) return [];
      if (!isReport(body)) {
        this.#remove(file); // its process was killed while it wrote the file
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
      // Another process has sent and deleted it.
    }
  }
}

/**
 * The text of a regular file that our own user owns: a file of another user is not sent in our name. The file is opened
 * first and checked then, and links are not followed, so that it cannot be exchanged in between.
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

/** Whether the text is a complete request with spans. */
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

import { createWriteStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import path from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

export interface Artifact {
  readonly key: string;
  readonly bytes: number;
  /** How many times it was uploaded. More than once: an upload timed out although it succeeded, and was tried again. */
  readonly copies: number;
  /** ms since the Unix epoch. */
  readonly storedAt: number;
}

/** The oldest artifacts are evicted first, because traffic may run for days. */
export const KEPT_ARTIFACTS = 50;

/** Stores finished exports in a folder, which stands for an object store. */
export class ArtifactStore {
  readonly #directory: string;
  readonly #artifacts = new Map<string, Artifact>();

  constructor(directory: string) {
    this.#directory = directory;
  }

  async put(key: string, content: Readable): Promise<Artifact> {
    const file = createWriteStream(path.join(this.#directory, key));
    await pipeline(content, file);
    const copies = (this.#artifacts.get(key)?.copies ?? 0) + 1;
    const artifact = { key, bytes: file.bytesWritten, copies, storedAt: Date.now() };
    this.#artifacts.set(key, artifact);
    await this.#evictOldest();
    return artifact;
  }

  find(key: string): Artifact | undefined {
    return this.#artifacts.get(key);
  }

  async #evictOldest(): Promise<void> {
    const [oldest] = this.#artifacts.keys();
    if (oldest === undefined || this.#artifacts.size <= KEPT_ARTIFACTS) return;
    this.#artifacts.delete(oldest);
    await rm(path.join(this.#directory, oldest), { force: true });
  }
}

import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

import type { Recording } from '../../src/model/recording/recording.js';

/** A directory of one test's own, until it is disposed of: tests of a file that run side by side share no variable. */
export class Scratch implements AsyncDisposable {
  readonly directory: string;
  /** For `--json`. */
  readonly json: string;

  private constructor(directory: string) {
    this.directory = directory;
    this.json = path.join(directory, 'out.json');
  }

  static async make(): Promise<Scratch> {
    return new Scratch(await mkdtemp(path.join(tmpdir(), 'loopwatch-test-')));
  }

  async recording(): Promise<Recording> {
    return JSON.parse(await readFile(this.json, 'utf8')) as Recording;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await rm(this.directory, { recursive: true, force: true });
  }
}

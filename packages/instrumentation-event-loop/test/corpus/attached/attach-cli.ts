import { spawn } from 'node:child_process';
import { readFile, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';

import { nodeBinary } from '@loopwatch/node-binaries';

const cli = path.resolve(import.meta.dirname, '../../../../cli/dist/cli.cjs');

/** What the file of `loopwatch attach --json` has of a block; packages/cli/schema describes all of it. */
export interface AttachedBlock {
  readonly startMs: number;
  readonly durationMs: number;
  readonly cause: string;
  readonly stackQuality: string;
  readonly culprit?: { readonly functionName: string; readonly filePath: string; readonly lineNumber: number };
  readonly request?: string;
  readonly parentSpanId?: string;
}

export interface Attachment {
  /** Epoch, ms: when the process was watched; undefined if it never was. */
  readonly watchedAtMs: number | undefined;
  readonly blocks: readonly AttachedBlock[];
  readonly stderr: string;
}

/** Longer than any program of the corpus runs. */
const timeoutMs = 60_000;

/** Watches a process until it ends. */
export async function attachUntilEnd(pid: number): Promise<Attachment> {
  const json = path.join(os.tmpdir(), `loopwatch-corpus-attached-${process.pid}-${pid}.json`);
  const child = spawn(nodeBinary(), [cli, 'attach', '--json', json, String(pid)], {
    stdio: ['ignore', 'ignore', 'pipe'],
    timeout: timeoutMs,
    killSignal: 'SIGKILL',
  });
  let stderr = '';
  let watchedAtMs: number | undefined;
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
    if (/Attached to process/.test(stderr)) watchedAtMs ??= Date.now();
  });
  await new Promise((resolve, reject) => {
    child.once('close', resolve);
    child.once('error', reject);
  });
  try {
    const { blocks } = JSON.parse(await readFile(json, 'utf8')) as { readonly blocks: readonly AttachedBlock[] };
    return { watchedAtMs, blocks, stderr };
  } catch {
    return { watchedAtMs, blocks: [], stderr };
  } finally {
    await rm(json, { force: true });
  }
}

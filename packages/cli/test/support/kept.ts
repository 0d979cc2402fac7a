import { existsSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';

import type { NodeMajor } from '@loopwatch/node-binaries';

import type { PageState } from '../../src/model/live/page.js';
import { type CliOptions, type RunningCli, startCli } from './cli.js';
import { tracesBody } from './otlp.js';

export interface KeepingServe {
  readonly running: RunningCli;
  readonly url: string;
  /** Until it listened. */
  readonly output: string;
}

export async function startKeepingServe(file: string, options: CliOptions = {}): Promise<KeepingServe> {
  const running = startCli(['serve', '--port', '0', '--keep', file], options);
  let output = '';
  running.child.stderr!.on('data', (chunk: Buffer) => (output += chunk.toString()));
  const [url] = await running.waitFor(/http:\/\/127\.0\.0\.1:\d+/);
  return { running, url, output };
}

export async function stateOf(url: string): Promise<PageState> {
  return (await fetch(`${url}/api/state`)).json() as Promise<PageState>;
}

export async function blockIdsOf(url: string): Promise<string[]> {
  return (await stateOf(url)).blocks.map(({ id }) => id);
}

/** Sends blocks of 5 kB each. */
export async function sendBlocks(url: string, ids: readonly string[]): Promise<void> {
  const nowMs = Date.now();
  const spans = ids.map((id, index) => ({
    traceId: id.padStart(32, '0'),
    spanId: id.padStart(16, '0'),
    name: 'event-loop-blocked',
    startMs: nowMs - 2_000 + index,
    endMs: nowMs - 1_800 + index,
    attributes: { 'code.function.name': 'f', 'event_loop.blocked.profile': `${'frame;'.repeat(800)}f 200` },
  }));
  const body = JSON.stringify(tracesBody({ 'service.name': 'api', 'process.pid': 4 }, spans));
  await fetch(`${url}/v1/traces`, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
}

export function integrityOf(file: string): unknown {
  const db = new DatabaseSync(file);
  try {
    return db.prepare('PRAGMA integrity_check').get()?.integrity_check;
  } finally {
    db.close();
  }
}

export interface KilledStarts {
  /** What the starts printed to stderr before they listened. */
  readonly output: string;
  /** Blocks that one start had restored, and the next one had not. */
  readonly lost: readonly string[];
  /** How often it was killed within a transaction. */
  readonly withinTransaction: number;
  readonly blocks: number;
}

/**
 * Kills `serve` again and again while it receives: at any moment, as soon as a transaction is seen, or at any moment after
 * a whole one, which a busy host does not reach within the time of the first.
 */
export async function killAndRestart(file: string, rounds: number, major: NodeMajor): Promise<KilledStarts> {
  const journal = `${file}-journal`;
  let output = '';
  let known: string[] = [];
  let withinTransaction = 0;
  let nextId = 1;
  const lost: string[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const serve = await startKeepingServe(file, { major });
    output += serve.output;
    const restored = new Set(await blockIdsOf(serve.url));
    lost.push(...known.filter((id) => !restored.has(id)));
    known = [...restored];
    const moment = (['any', 'within', 'after'] as const)[round % 3]!;
    let killAtMs = performance.now() + (moment === 'any' ? Math.random() * 1_600 : Infinity);
    let hasBegun = false;
    while (performance.now() < killAtMs) {
      await sendBlocks(
        serve.url,
        Array.from({ length: 3 }, () => (nextId++).toString(16)),
      );
      // A journal that a kill has left stays for up to a second: no more blocks in all than serve keeps.
      if (moment !== 'within' && existsSync(journal)) await new Promise((resolve) => setTimeout(resolve, 20));
      // A transaction lasts a few milliseconds: this looks without a pause, for a while.
      for (const endMs = performance.now() + 30; performance.now() < endMs;) if (existsSync(journal)) break;
      const isWithin = existsSync(journal);
      if (isWithin && moment === 'within') break;
      if (hasBegun && !isWithin && killAtMs === Infinity) killAtMs = performance.now() + Math.random() * 800;
      hasBegun ||= isWithin;
    }
    serve.running.child.kill('SIGKILL');
    await serve.running.result;
    if (existsSync(journal)) withinTransaction += 1;
  }
  const last = await startKeepingServe(file, { major });
  output += last.output;
  const blocks = await blockIdsOf(last.url);
  lost.push(...known.filter((id) => !blocks.includes(id)));
  last.running.child.kill('SIGTERM');
  await last.running.result;
  return { output, lost, withinTransaction, blocks: blocks.length };
}

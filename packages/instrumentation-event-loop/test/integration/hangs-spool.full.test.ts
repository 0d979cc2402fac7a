import { mkdir, mkdtemp, readFile, readdir, rm, stat, symlink, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';

import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import type { RunResult } from '@loopwatch/test-support';

import { ATTR_CODE_FUNCTION_NAME } from '../../src/semconv.ts';
import { HangReceiver } from './hang-receiver.ts';
import { expectCleanExit } from './support.ts';
import { node24, runOnce } from './thread-support.ts';

const telemetry = { instrumentation: { hangThresholdMs: 600 } };
/** A process id that no process has: above the limit of every system. */
const gonePid = 2 ** 30;
const maxFiles = 64;

let scratch: string;
let spool: string;

beforeEach(async () => {
  scratch = await mkdtemp(path.join(os.tmpdir(), 'loopwatch-spool-test-'));
  spool = path.join(scratch, 'spool');
});

afterEach(async () => {
  await rm(scratch, { recursive: true, force: true });
});

/** Runs a program that hangs forever while the receiver rejects its reports, and ends it by SIGKILL. */
async function killBeforeDelivery(env: Record<string, string>): Promise<RunResult> {
  await using receiver = await HangReceiver.start();
  receiver.answers.push(...Array.from({ length: 1000 }, () => 503));
  return await runOnce(node24, 'hang-program.cjs', {
    args: ['regex', '0'],
    telemetry,
    env: { OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url, ...env },
    onStart: (child) => {
      void receiver.until(() => receiver.hangs.length > 0).then(() => child.kill('SIGKILL'));
    },
  });
}

/** Starts the program again, without a hang, for long enough, and with a receiver that accepts reports. */
async function startAgain(receiver: HangReceiver): Promise<void> {
  const env = { OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url, LOOPWATCH_SPOOL_DIRECTORY: spool, LINGER_MS: '5000' };
  // A busy host may hold up its start for longer than the others hang.
  const hangless = { instrumentation: { hangThresholdMs: 60_000 } };
  const args = ['javascript', '200'];
  expectCleanExit(await runOnce(node24, 'hang-program.cjs', { args, telemetry: hangless, env }));
}

describe('With LOOPWATCH_SPOOL_DIRECTORY, a hang report that a killed process could not deliver', () => {
  test('is readable by its owner only, sent at the next start and removed', async () => {
    const killed = await killBeforeDelivery({ LOOPWATCH_SPOOL_DIRECTORY: spool });
    expect(killed.signal).toBe('SIGKILL');
    const kept = await readdir(spool);
    expect(kept.length).toBeGreaterThan(0);
    for (const name of kept) expect((await stat(path.join(spool, name))).mode & 0o777).toBe(0o600);
    expect((await stat(spool)).mode & 0o777).toBe(0o700);

    await using receiver = await HangReceiver.start();
    await startAgain(receiver);
    const { traceId, spanId } = killed.notes.get('request') as { traceId: string; spanId: string };
    expect(receiver.hangs).toHaveLength(kept.length);
    for (const hang of receiver.hangs) {
      expect(hang).toMatchObject({ traceId, parentSpanId: spanId });
      expect(hang.attributes[ATTR_CODE_FUNCTION_NAME]).toBe('validateComment');
    }
    expect(await readdir(spool)).toEqual([]);
  });

  test('evicts the oldest reports when the spool is full', async () => {
    await mkdir(spool, { mode: 0o700 });
    const nameOf = (index: number): string => `${gonePid}-${index}-abcd.loopwatch-hang.json`;
    for (let index = 1; index <= 100; index++) {
      await writeFile(path.join(spool, nameOf(index)), '{"resourceSpans":[]}');
    }
    // The receiver rejects the old reports as well.
    await killBeforeDelivery({ LOOPWATCH_SPOOL_DIRECTORY: spool });
    const kept = await readdir(spool);
    expect(kept.length).toBeLessThanOrEqual(maxFiles);
    expect(kept).not.toContain(nameOf(1));
    expect(kept.some((name) => !name.startsWith(`${gonePid}-`))).toBe(true);
  });

  test('is never read through a symbolic link', async () => {
    await mkdir(spool, { mode: 0o700 });
    const secret = path.join(scratch, 'secret');
    await writeFile(secret, '{"resourceSpans":[],"secret":true}');
    await symlink(secret, path.join(spool, `${gonePid}-1-abcd.loopwatch-hang.json`));
    await writeFile(path.join(spool, `${gonePid}-2-abcd.loopwatch-hang.json`), '{"resourceSpans":[]}');

    await using receiver = await HangReceiver.start();
    await startAgain(receiver);
    expect(receiver.requests.map(({ text }) => text)).toEqual(['{"resourceSpans":[]}']);
    expect(await readFile(secret, 'utf8')).toBe('{"resourceSpans":[],"secret":true}');
  });
});

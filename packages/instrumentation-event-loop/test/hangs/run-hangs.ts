import { describeCombination, runProgram } from '@loopwatch/test-support';
import type { Combination } from '@loopwatch/test-support';

import { HangReceiver } from '../integration/hang-receiver.ts';
import { compileCache, fixtureTree } from '../integration/support.ts';
import { judgeHang } from './judge-hang.ts';
import type { HangVerdict } from './judge-hang.ts';
import { hangKinds } from './kinds.ts';
import type { HangKind } from './kinds.ts';

/** One hang, and what was wrong or absent in its last report. */
export interface JudgedHang extends HangVerdict {
  readonly way: string;
}

const CONCURRENT_HANGS = 2;
const HANG_THRESHOLD_MS = 600;
const DEFAULT_REPORTS = 2;
/** For the end of the longest hang on an overloaded machine. */
const TIMEOUT_MS = 60_000;

/** Lets a program hang as often as is said, in each way in turn, and judges the last report of each. */
export async function runHangs(
  combination: Combination,
  hangs: number,
  onHang: (hang: JudgedHang) => void = () => undefined,
): Promise<JudgedHang[]> {
  const waiting = Array.from({ length: hangs }, (_, i) => hangKinds[i % hangKinds.length]!);
  const judged: JudgedHang[] = [];
  const runNext = async (): Promise<void> => {
    for (let kind = waiting.shift(); kind; kind = waiting.shift()) {
      const hang = await runOne(combination, kind);
      judged.push(hang);
      onHang(hang);
    }
  };
  await Promise.all(Array.from({ length: CONCURRENT_HANGS }, runNext));
  return judged;
}

async function runOne(combination: Combination, kind: HangKind): Promise<JudgedHang> {
  await using receiver = await HangReceiver.start();
  const isEnough = (): boolean => receiver.hangs.length >= (kind.reports ?? DEFAULT_REPORTS);
  const result = await runProgram({
    combination,
    tree: await fixtureTree(combination),
    program: 'hang-program.cjs',
    args: [kind.way],
    telemetry: { instrumentation: { hangThresholdMs: HANG_THRESHOLD_MS } },
    env: { ...compileCache, OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url },
    timeoutMs: TIMEOUT_MS,
    onStart: (child) => {
      void receiver.until(isEnough).then(() => child.kill('SIGKILL'));
    },
  });
  const request = result.notes.get('request') as { readonly spanId: string } | undefined;
  const last = receiver.hangs.at(-1);
  if (result.signal !== 'SIGKILL' || request === undefined || last === undefined) {
    throw new Error(
      `Expected a program that hangs by ${kind.way} on ${describeCombination(combination)} until it is killed, ` +
        `got ${result.signal ?? String(result.exitCode)}.\n${result.stderr}`,
    );
  }
  return { way: kind.way, ...judgeHang(kind, last, request.spanId) };
}

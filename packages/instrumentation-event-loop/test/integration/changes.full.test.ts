import { describe, expect, test } from '@jest/globals';
import { changesOf, describeCombination, documentedChanges, sampledCombinations } from '@loopwatch/test-support';
import type { Combination, ProcessState } from '@loopwatch/test-support';

import { expectCleanExit, runFixture } from './support.ts';

type Way = 'code' | 'register';
type Thread = 'main' | 'worker';
type Moment = 'starting' | 'enabled' | 'disabled';

const ways: readonly Way[] = ['code', 'register'];
const threads: readonly Thread[] = ['main', 'worker'];
const moments: readonly Moment[] = ['starting', 'enabled', 'disabled'];
const withoutExporters = { OTEL_TRACES_EXPORTER: 'none', OTEL_METRICS_EXPORTER: 'none', OTEL_LOGS_EXPORTER: 'none' };
const register = ['--import', '@loopwatch/instrumentation-event-loop/register'];
/** Of the process: a worker thread sees them as long as the main thread is monitored. */
const OF_MAIN_THREAD = ['thread', 'descriptor of an event loop'];
const documented = documentedChanges();

/** Runs the program, watched in one way or not, and reads its states. */
async function statesOf(combination: Combination, way: Way | 'not'): Promise<(key: string) => ProcessState> {
  const result = await runFixture(combination, 'changes.cjs', {
    preload: 'none',
    flags: ['--expose-internals', '--no-warnings', ...(way === 'register' ? register : [])],
    args: [way],
    env: { ...withoutExporters, NODE_DISABLE_COMPILE_CACHE: '1' },
    timeoutMs: 60_000,
  });
  expectCleanExit(result);
  return (key) => {
    const state = result.notes.get(key);
    if (state === undefined) throw new Error(`Expected the program to note the state ${key}, got none.`);
    return state as ProcessState;
  };
}

function namesOf(way: Way, thread: Thread, isWanted: (change: (typeof documented)[number]) => boolean): string[] {
  const rows = documented.filter((row) => row.ways.includes(way) && row.threads.includes(thread) && isWanted(row));
  return [...new Set(rows.map(({ name }) => name))].sort();
}

describe('docs/evidence/process-changes.md', () => {
  test('has a table of what is changed in a process', () => {
    expect(documented.length).toBeGreaterThan(30);
  });

  // 22 and 24 are those of what `loopwatch run` and `attach` change.
  test.each(sampledCombinations(20, 26).map((combination) => [describeCombination(combination), combination] as const))(
    'what is changed is documented: %s',
    async (_label, combination) => {
      const watchedInTurn = async (): Promise<((key: string) => ProcessState)[]> => [
        await statesOf(combination, 'code'),
        await statesOf(combination, 'register'),
      ];
      // The programs mostly wait, but a third one at a time starts so late that its telemetry is not there yet.
      const [control, watched] = await Promise.all([statesOf(combination, 'not'), watchedInTurn()]);
      for (const [i, way] of ways.entries()) {
        for (const thread of threads) {
          // A state has 20,000 names.
          const changes = new Map(
            moments.map((moment) => {
              const key = `${thread} ${moment}`;
              return [moment, changesOf(watched[i]!(key), control(key))] as const;
            }),
          );
          const found = (moment: Moment): string[] => changes.get(moment)!;
          const missing = (moment: Moment, wanted: readonly string[]): string[] =>
            wanted.filter((name) => !found(moment).includes(name));
          const known = namesOf(way, thread, () => true);
          const label = `${way}, ${thread} thread`;
          for (const moment of ['starting', 'enabled'] as const) {
            const undocumented = found(moment).filter((name) => !known.includes(name));
            expect([label, moment, undocumented]).toEqual([label, moment, []]);
          }
          const atTheStart = namesOf(way, thread, ({ when }) => when === 'starting');
          expect([label, missing('starting', atTheStart)]).toEqual([label, []]);
          const enabled = namesOf(way, thread, ({ when }) => when === 'enabled');
          expect([label, missing('enabled', enabled)]).toEqual([label, []]);
          // Nothing disables what `/register` has enabled.
          if (way === 'register') continue;
          // The main thread is still monitored when the worker is no longer.
          const shared = thread === 'worker' ? ['environment data loopwatch.registry', ...OF_MAIN_THREAD] : [];
          const staying = namesOf(way, thread, ({ stays }) => stays);
          const left = found('disabled').filter((name) => !shared.includes(name));
          expect([label, 'disabled', left]).toEqual([label, 'disabled', staying]);
        }
      }
    },
  );
});

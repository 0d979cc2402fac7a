import { describe, expect, test } from '@jest/globals';
import { describeCombination, oldestAndNewest } from '@loopwatch/test-support';

import { otlpReceiver } from './otlp-receiver.ts';
import { expectCleanExit, expectUnstarved, runFixture, spansOfBlocks } from './support.ts';

interface Outcome {
  readonly label: string;
  readonly threw: boolean;
  readonly name?: string;
  readonly message?: string;
}

const badEnvironment: Readonly<Record<string, string>> = {
  LOOPWATCH_BLOCKED_THRESHOLD_MS: 'soon',
  LOOPWATCH_HANG_THRESHOLD_MS: '-3',
  LOOPWATCH_SAMPLE_INTERVAL_MS: '0',
  LOOPWATCH_WATCHDOG: 'perhaps',
  LOOPWATCH_SPANS_PER_MINUTE: 'NaN',
  LOOPWATCH_CAPTURE_STACKS: '2',
};

describe.each(oldestAndNewest.map((combination) => [describeCombination(combination), combination] as const))(
  '%s',
  (_label, combination) => {
    test('an invalid option throws at construction, with what was expected and what was got', () =>
      expectUnstarved(async (run) => {
        const result = await run(combination, 'construct.cjs', { preload: 'none' });
        expectCleanExit(result);
        const outcomes = result.notes.get('bad') as readonly Outcome[];
        expect(outcomes.filter(({ threw }) => !threw)).toEqual([]);
        expect(outcomes.filter(({ name }) => !['TypeError', 'RangeError'].includes(String(name)))).toEqual([]);
        expect(outcomes.filter(({ message }) => !/expected.*got/is.test(String(message)))).toEqual([]);
      }));

    test('a valid configuration is accepted', () =>
      expectUnstarved(async (run) => {
        const result = await run(combination, 'construct.cjs', { preload: 'none' });
        const outcomes = result.notes.get('good') as readonly Outcome[];
        expect(outcomes.filter(({ threw }) => threw)).toEqual([]);
        expect(outcomes).toHaveLength(5);
      }));

    test('an invalid value in the environment is logged once through diag, and the default applies', () =>
      expectUnstarved(async (run) => {
        const result = await run(combination, 'one-block.cjs', { args: ['160'], env: badEnvironment });
        expectCleanExit(result);
        const reportsOf = (name: string): number => result.diags.filter(({ message }) => message.includes(name)).length;
        expect(Object.keys(badEnvironment).map((name) => [name, reportsOf(name)])).toEqual(
          Object.keys(badEnvironment).map((name) => [name, 1]),
        );
        expect(spansOfBlocks(result)).toHaveLength(1);
      }));

    test.each([
      ['an SDK in code, which sets the logger after it has constructed this', 'environment-sdk.cjs', []],
      ['/register', 'plain-app.cjs', ['--require', '@loopwatch/instrumentation-event-loop/register']],
    ] as const)('an invalid value in the environment is logged once with %s', async (_label, program, flags) => {
      await using receiver = await otlpReceiver();
      const env = { ...receiver.env, OTEL_LOG_LEVEL: 'warn', LOOPWATCH_BLOCKED_THRESHOLD_MS: 'soon' };
      const result = await runFixture(combination, program, { preload: 'none', flags: [...flags], env });
      expectCleanExit(result);
      expect(`${result.stdout}${result.stderr}`.match(/Expected LOOPWATCH_BLOCKED_THRESHOLD_MS /g)).toHaveLength(1);
    });

    test('a value in the environment applies, and an option in code overrides it', () =>
      expectUnstarved(async (run) => {
        // A block that waits for a CPU on a busy host stays below it, too.
        const env = { LOOPWATCH_BLOCKED_THRESHOLD_MS: '60000' };
        const byEnvironment = await run(combination, 'one-block.cjs', { env });
        const byCode = await run(combination, 'one-block.cjs', {
          env,
          telemetry: { instrumentation: { blockedThresholdMs: 100 } },
        });
        expect(spansOfBlocks(byEnvironment)).toEqual([]);
        expect(spansOfBlocks(byCode)).toHaveLength(1);
      }));
  },
);

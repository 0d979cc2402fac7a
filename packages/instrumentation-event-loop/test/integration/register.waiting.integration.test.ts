import { describe, expect, test } from '@jest/globals';
import {
  casesOn,
  combinationPerMajor,
  combinations,
  describeCombination,
  isInnerTier,
  sampledCombinations,
} from '@loopwatch/test-support';

import { METRIC_EVENT_LOOP_LAG } from '../../src/semconv.ts';
import { otlpReceiver } from './otlp-receiver.ts';
import { expectCleanExit, expectUnstarved, runFixture, spansOfBlocks } from './support.ts';

const register = '@loopwatch/instrumentation-event-loop/register';
const SERVER = 1;
const ways = [
  ['--import', 'cjs'],
  ['--import', 'mjs'],
  ['--require', 'cjs'],
  ['--require', 'mjs'],
] as const;

// Side by side: outcomes are compared, and no times.
describe.each(combinations.map((combination) => [describeCombination(combination), combination] as const))(
  '%s',
  (_label, combination) => {
    const itsWays = isInnerTier ? [ways[0], ways[3]] : casesOn(combination, ways, combinations);

    test.concurrent.each(itsWays)(
      '%s register starts an SDK for a .%s application that has none',
      async (flag, extension) => {
        await using receiver = await otlpReceiver();
        const result = await runFixture(combination, `plain-app.${extension}`, {
          preload: 'none',
          flags: [flag, register],
          env: receiver.env,
        });
        expectCleanExit(result);
        expect(result.stdout).toBe('done\n');
        expect(result.stderr).toBe('');
        expect(receiver.culprits).toEqual(['renderInvoice']);
        expect(receiver.metricNames).toContain(METRIC_EVENT_LOOP_LAG);
      },
    );

    test.concurrent.each(itsWays)('%s register uses the SDK that a .%s application starts', (flag, extension) =>
      expectUnstarved(async (run) => {
        await using receiver = await otlpReceiver();
        const result = await run(combination, `app-with-sdk.${extension}`, {
          preload: 'none',
          flags: [flag, register],
          env: receiver.env,
        });
        expectCleanExit(result);
        const parents = spansOfBlocks(result).map(({ parentSpanId }) => parentSpanId);
        expect(parents).toEqual([result.truths[0]?.spanId]);
        expect(result.metrics.map(({ name }) => name)).toContain(METRIC_EVENT_LOOP_LAG);
        expect(receiver.culprits).toEqual([]);
      }),
    );

    test.concurrent('register uses the SDK that an older copy of the API has registered', async () => {
      await using receiver = await otlpReceiver();
      const result = await runFixture(combination, 'app-with-older-api.cjs', {
        preload: 'none',
        flags: ['--import', register],
        env: receiver.env,
      });
      expectCleanExit(result);
      expect(result.stderr).toBe('');
      const parents = spansOfBlocks(result).map(({ parentSpanId }) => parentSpanId);
      expect(parents).toContain(result.notes.get('spanId'));
      expect(result.metrics.map(({ name }) => name)).toContain(METRIC_EVENT_LOOP_LAG);
      expect(receiver.culprits).toEqual([]);
    });

    test.concurrent('register leaves requests to an instrumentation that the application creates later', async () => {
      const result = await runFixture(combination, 'app-with-http-sdk.cjs', {
        preload: 'none',
        flags: ['--import', register],
      });
      expectCleanExit(result);
      const server = result.spans.find(({ kind }) => kind === SERVER);
      expect(server).toBeDefined();
      // On a host that takes the CPU away, other code blocks, too.
      expect(spansOfBlocks(result).map(({ parentSpanId }) => parentSpanId)).toContain(server!.spanId);
    });
  },
);

describe.each(combinationPerMajor.map((combination) => [describeCombination(combination), combination] as const))(
  '%s',
  (_label, combination) => {
    test.concurrent.each(casesOn(combination, ['SIGTERM', 'SIGINT'] as const))(
      'register exports pending blocks before %s ends the process',
      async (signal) => {
        await using receiver = await otlpReceiver();
        const result = await runFixture(combination, 'end-on-signal.cjs', {
          preload: 'none',
          flags: ['--import', register],
          env: receiver.env,
          onStart: (child) => child.stdout?.once('data', () => child.kill(signal)),
        });
        expect(result.signal).toBe(signal);
        expect(receiver.culprits).toEqual(['renderInvoice']);
      },
    );

    const beforeTheSdk = [
      ['--import', 'a timer, and its loop goes on'],
      ['--require', 'a timer, and its loop goes on'],
      ['--import', 'a timer, and its loop goes on at beforeExit'],
      ['--require', 'a timer, and its loop goes on at beforeExit'],
    ] as const;
    test.concurrent.each(casesOn(combination, beforeTheSdk))(
      '%s register exports a block that ends before the SDK is loaded, in the callback of %s',
      async (flag, start) => {
        await using receiver = await otlpReceiver();
        const result = await runFixture(combination, 'first-block.cjs', {
          preload: 'none',
          args: [start],
          flags: [flag, register],
          env: receiver.env,
        });
        expectCleanExit(result);
        // The watchdog may still be starting: what blocked need not be known.
        const lengths = receiver.blocks.map(({ startMs, endMs }) => endMs - startMs);
        expect(Math.max(...lengths)).toBeGreaterThanOrEqual(250);
      },
    );

    test.concurrent.each(
      casesOn(combination, [
        'a timer',
        'an immediate',
        'a file that it reads',
        'a timer, with a listener of beforeExit',
        // For longer than blocks are held: it holds up the load of the SDK as well.
        'a timer, and sleeps for 11 s',
      ] as const),
    )('register exports the block of a program that ends after it, at once, in the callback of %s', async (start) => {
      await using receiver = await otlpReceiver();
      const result = await runFixture(combination, 'first-block.cjs', {
        preload: 'none',
        flags: ['--import', register],
        args: [start],
        env: receiver.env,
      });
      expectCleanExit(result);
      expect(result.stdout).toBe(start.endsWith('beforeExit') ? 'beforeExit\nexit 0\n' : 'exit 0\n');
      // The watchdog may still be starting: what blocked need not be known.
      const lengths = receiver.blocks.map(({ startMs, endMs }) => endMs - startMs);
      expect(Math.max(...lengths)).toBeGreaterThanOrEqual(start.endsWith('11 s') ? 10_500 : 250);
    });

    test.concurrent('register waits for the SDK that an ES module has loaded and starts later', () =>
      expectUnstarved(async (run) => {
        await using receiver = await otlpReceiver();
        const result = await run(combination, 'app-with-late-sdk.mjs', {
          preload: 'none',
          flags: ['--import', register],
          env: receiver.env,
        });
        expectCleanExit(result);
        expect(spansOfBlocks(result).map(({ parentSpanId }) => parentSpanId)).toEqual([result.truths[0]?.spanId]);
        // A host that holds the program up for seconds makes the watchdog itself send that it is stalled.
        expect(receiver.metricNames).not.toContain(METRIC_EVENT_LOOP_LAG);
      }),
    );

    test.concurrent(
      'register in both formats, from two places, exports once before a signal ends the process',
      async () => {
        await using receiver = await otlpReceiver();
        const result = await runFixture(combination, 'end-on-signal.cjs', {
          preload: 'none',
          flags: ['--require', register, '--import', register],
          env: receiver.env,
          onStart: (child) => child.stdout?.once('data', () => child.kill('SIGTERM')),
        });
        expect(result.signal).toBe('SIGTERM');
        expect(receiver.culprits).toEqual(['renderInvoice']);
      },
    );

    test.concurrent('register with OTEL_SDK_DISABLED=true exports nothing', async () => {
      await using receiver = await otlpReceiver();
      const env = { ...receiver.env, OTEL_SDK_DISABLED: 'true' };
      const options = { preload: 'none', flags: ['--import', register], env } as const;
      const result = await runFixture(combination, 'plain-app.cjs', options);
      expectCleanExit(result);
      expect(receiver.culprits).toEqual([]);
      expect(receiver.metricNames).toEqual(new Set());
    });
  },
);

// One at a time, after the others: the watchdog starts while the program blocks.
describe.each(
  sampledCombinations(20, 26).map((combination) => [describeCombination(combination), combination] as const),
)('%s', (_label, combination) => {
  test('blocks of the application while register loads the SDK are reported', async () => {
    await using receiver = await otlpReceiver();
    const result = await runFixture(combination, 'blocks-while-sdk-loads.cjs', {
      preload: 'none',
      flags: ['--import', register],
      env: receiver.env,
    });
    expectCleanExit(result);
    const reported = receiver.culprits.filter((culprit) => culprit === 'serveRequest');
    // The watchdog may still be starting when the first two run.
    expect(reported.length).toBeGreaterThanOrEqual(4);
  });
});

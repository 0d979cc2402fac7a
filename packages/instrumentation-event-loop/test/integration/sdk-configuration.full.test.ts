import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

import { describe, expect, test } from '@jest/globals';
import { describeCombination, oldestAndNewest } from '@loopwatch/test-support';

import { METRIC_EVENT_LOOP_LAG, METRIC_EVENT_LOOP_STALLED } from '../../src/semconv.ts';
import { otlpReceiver } from './otlp-receiver.ts';
import { expectCleanExit, fixtureTree, runFixture } from './support.ts';

// Side by side: they wait, and outcomes are compared.
describe.each(oldestAndNewest.map((combination) => [describeCombination(combination), combination] as const))(
  '%s: an SDK exports blocks and lag when it is configured',
  (_label, combination) => {
    test.concurrent('by the environment', async () => {
      await using receiver = await otlpReceiver();
      const result = await runFixture(combination, 'environment-sdk.cjs', { preload: 'none', env: receiver.env });
      expectCleanExit(result);
      expect(receiver.culprits).toEqual(['renderInvoice']);
      expect(receiver.metricNames).toContain(METRIC_EVENT_LOOP_LAG);
    });

    test.concurrent('also a block in which more spans end than its queue holds', async () => {
      await using receiver = await otlpReceiver();
      const result = await runFixture(combination, 'many-spans-in-block.cjs', { preload: 'none', env: receiver.env });
      expectCleanExit(result);
      // On a busy host, what ends the other spans may block, too.
      expect(receiver.culprits.filter((culprit) => culprit !== 'endSpans')).toEqual(['resolveFields']);
    });

    test.concurrent.each([
      ['by variables that the application sets before it starts its SDK', 'late-endpoint.cjs', undefined],
      ['by a file that the preload reads', 'plain-hang.cjs', 'declarative-sdk.yaml'],
    ])('%s: also the watchdog sends there', async (_, program, file) => {
      await using receiver = await otlpReceiver();
      const { OTEL_EXPORTER_OTLP_ENDPOINT: RECEIVER, ...env } = receiver.env;
      const { directory } = await fixtureTree(combination);
      const result = await runFixture(combination, program, {
        preload: 'none',
        flags: ['--import', '@loopwatch/instrumentation-event-loop/register'],
        env: { ...env, RECEIVER: RECEIVER!, ...(file !== undefined && { OTEL_CONFIG_FILE: `${directory}/${file}` }) },
      });
      expectCleanExit(result);
      expect(receiver.culprits).toEqual(['renderForever']);
      expect(receiver.metricNames).toContain(METRIC_EVENT_LOOP_STALLED);
    });

    test.concurrent('in code: the log says where hangs were sent instead, when nothing there takes them', async () => {
      await using receiver = await otlpReceiver();
      const other = createServer((_, response) => response.writeHead(404).end());
      await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
      const origin = `http://127.0.0.1:${(other.address() as AddressInfo).port}`;
      const result = await runFixture(combination, 'sdk-in-code.cjs', {
        preload: 'none',
        env: {
          RECEIVER: receiver.env.OTEL_EXPORTER_OTLP_ENDPOINT!,
          OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
          OTEL_EXPORTER_OTLP_ENDPOINT: origin,
          LOOPWATCH_HANG_THRESHOLD_MS: '1000',
        },
      });
      other.close();
      expectCleanExit(result);
      expect(result.stdout).toContain(`Expected a receiver of OTLP over HTTP at ${origin} for reports of hangs`);
      expect(receiver.culprits).toEqual(['renderForever']);
    });

    test.concurrent('by a declarative configuration file', async () => {
      await using receiver = await otlpReceiver();
      const { directory } = await fixtureTree(combination);
      const env = {
        OTEL_CONFIG_FILE: `${directory}/declarative-sdk.yaml`,
        RECEIVER: receiver.env.OTEL_EXPORTER_OTLP_ENDPOINT!,
      };
      const result = await runFixture(combination, 'declarative-sdk.cjs', { preload: 'none', env });
      expectCleanExit(result);
      expect(receiver.culprits).toEqual(['renderInvoice']);
      expect(receiver.metricNames).toContain(METRIC_EVENT_LOOP_LAG);
    });

    test.concurrent.each([
      ['below its threshold', 2000, false],
      ['above it', 150, true],
    ])('by a file that the preload reads, with options of this package: a block %s', async (_, ms, isReported) => {
      await using receiver = await otlpReceiver();
      const { directory } = await fixtureTree(combination);
      const result = await runFixture(combination, 'plain-app.cjs', {
        preload: 'none',
        flags: ['--import', '@loopwatch/instrumentation-event-loop/register'],
        env: {
          OTEL_CONFIG_FILE: `${directory}/declarative-options.yaml`,
          RECEIVER: receiver.env.OTEL_EXPORTER_OTLP_ENDPOINT!,
          THRESHOLD_MS: String(ms),
        },
      });
      expectCleanExit(result);
      expect(result.stdout).toBe('done\n');
      expect(receiver.culprits.length > 0).toBe(isReported);
      expect(receiver.metricNames).toContain(METRIC_EVENT_LOOP_LAG);
    });
  },
);

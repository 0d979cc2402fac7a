import { setTimeout as delay } from 'node:timers/promises';

import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import {
  ATTR_BLOCKED_CAUSE,
  ATTR_BLOCKED_PENDING,
  ATTR_CODE_FILE_PATH,
  ATTR_CODE_FUNCTION_NAME,
  ATTR_CODE_STACKTRACE,
  ATTR_THREAD_ID,
  SPAN_EVENT_LOOP_BLOCKED,
} from '@loopwatch/instrumentation-event-loop/semconv';

import { ChildProgram, SERVICE_COMMAND } from './support/child-program.js';
import { OtlpReceiver, type ReceivedSpan } from './support/otlp-receiver.js';

jest.setTimeout(120_000);

/** Time without tasks for the pool; the upload would take a few milliseconds. */
const IDLE_MS = 2000;

describe.each(['4', '5'])('a thread of Piscina %s', (piscina) => {
  let receiver: OtlpReceiver;
  let service: ChildProgram;
  let serviceUrl: string;

  beforeAll(async () => {
    receiver = await OtlpReceiver.start();
    service = new ChildProgram(SERVICE_COMMAND, {
      OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url,
      OTEL_BSP_SCHEDULE_DELAY: '50',
    });
    serviceUrl = (await service.waitForOutput(/listening on (\S+)/))[1]!;
  });

  afterAll(async () => {
    await service.kill();
    await receiver.close();
  });

  async function exportRun(isFixed: boolean): Promise<void> {
    const url = new URL(`/runs/1/export?piscina=${piscina}&fixed=${isFixed ? 1 : 0}`, serviceUrl);
    const response = await fetch(url, { method: 'POST' });
    expect(response.status).toBe(201);
    await response.arrayBuffer();
  }

  /** Keeps the thread awake until it has exported its spans: new spans that arrive show that it has. */
  async function keepAwake(): Promise<void> {
    const count = (): number => receiver.spans.filter((span) => span.name === 'export-run').length;
    const wanted = count() + 3;
    while (count() < wanted) {
      await exportRun(true);
      await delay(50);
    }
  }

  function sleepBlocksIn(spans: readonly ReceivedSpan[]): ReceivedSpan[] {
    return spans.filter(
      (span) =>
        span.name === SPAN_EVENT_LOOP_BLOCKED &&
        span.attributes[ATTR_BLOCKED_CAUSE] === 'waiting' &&
        span.attributes[ATTR_THREAD_ID] !== 0,
    );
  }

  test('reports no block when it sleeps without pending work', async () => {
    await exportRun(true);
    await delay(IDLE_MS);
    await keepAwake();
    expect(sleepBlocksIn(receiver.spans)).toEqual([]);
  });

  test('reports a block when it sleeps during an upload, with the function and the pending work', async () => {
    await exportRun(false);
    await delay(IDLE_MS);
    await keepAwake();
    const [sleep, ...others] = sleepBlocksIn(receiver.spans);
    expect(others).toEqual([]);
    expect(sleep?.attributes).toMatchObject({
      [ATTR_CODE_FUNCTION_NAME]: 'atomicsWaitLoop',
      [ATTR_CODE_FILE_PATH]: expect.stringContaining('piscina'),
      [ATTR_CODE_STACKTRACE]: expect.stringContaining('Atomics.wait'),
      [ATTR_BLOCKED_PENDING]: expect.arrayContaining([expect.stringMatching(/^TCP\w+×\d+$/)]),
    });
    expect(sleep?.durationMs).toBeGreaterThan(IDLE_MS * 0.8);
  });
});

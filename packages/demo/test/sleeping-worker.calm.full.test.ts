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

const PISCINAS = ['4', '5'] as const;
type Piscina = (typeof PISCINAS)[number];

/** A service that runs the pool of one version, and what it has exported. */
interface Observed {
  readonly receiver: OtlpReceiver;
  readonly service: ChildProgram;
  readonly url: string;
}

const observed = new Map<Piscina, Observed>();

beforeAll(async () => {
  await Promise.all(PISCINAS.map(async (piscina) => void observed.set(piscina, await startService())));
});

afterAll(async () => {
  for (const { service, receiver } of observed.values()) {
    await service.kill();
    await receiver.close();
  }
});

async function startService(): Promise<Observed> {
  const receiver = await OtlpReceiver.start();
  const service = new ChildProgram(SERVICE_COMMAND, {
    OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url,
    OTEL_BSP_SCHEDULE_DELAY: '50',
  });
  const [, url] = await service.waitForOutput(/listening on (\S+)/);
  return { receiver, service, url: url! };
}

async function exportRun(piscina: Piscina, isFixed: boolean): Promise<void> {
  const url = new URL(`/runs/1/export?piscina=${piscina}&fixed=${isFixed ? 1 : 0}`, observed.get(piscina)!.url);
  const response = await fetch(url, { method: 'POST' });
  expect(response.status).toBe(201);
  await response.arrayBuffer();
}

/** Keeps the thread awake until it has exported its spans: new spans that arrive show that it has. */
async function keepAwake(piscina: Piscina): Promise<void> {
  const { receiver } = observed.get(piscina)!;
  const count = (): number => receiver.spans.filter((span) => span.name === 'export-run').length;
  const wanted = count() + 3;
  while (count() < wanted) {
    await exportRun(piscina, true);
    await delay(50);
  }
}

function sleepBlocksOf(piscina: Piscina): ReceivedSpan[] {
  return observed
    .get(piscina)!
    .receiver.spans.filter(
      (span) =>
        span.name === SPAN_EVENT_LOOP_BLOCKED &&
        span.attributes[ATTR_BLOCKED_CAUSE] === 'waiting' &&
        span.attributes[ATTR_THREAD_ID] !== 0,
    );
}

// The two versions side by side, the second kind of sleep after the first: each `describe` waits for its tests.

describe('reports no block when it sleeps without pending work', () => {
  test.concurrent.each(PISCINAS)('a thread of Piscina %s', async (piscina) => {
    await exportRun(piscina, true);
    await delay(IDLE_MS);
    await keepAwake(piscina);
    expect(sleepBlocksOf(piscina)).toEqual([]);
  });
});

describe('reports a block when it sleeps during an upload, with the function and the pending work', () => {
  test.concurrent.each(PISCINAS)('a thread of Piscina %s', async (piscina) => {
    await exportRun(piscina, false);
    await delay(IDLE_MS);
    await keepAwake(piscina);
    const [sleep, ...others] = sleepBlocksOf(piscina);
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

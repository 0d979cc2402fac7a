import { randomBytes } from 'node:crypto';

import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import {
  ATTR_BLOCKED_CAUSE,
  ATTR_BLOCKED_CPU_TIME,
  ATTR_BLOCKED_RUN_QUEUE_TIME,
  ATTR_BLOCKED_VICTIMS,
  ATTR_BLOCKED_WAIT_TIME,
  ATTR_CODE_FILE_PATH,
  ATTR_CODE_FUNCTION_NAME,
  SPAN_EVENT_LOOP_BLOCKED,
} from '@loopwatch/instrumentation-event-loop/semconv';

import { createRandom } from '../src/shared/random.js';
import { createScenario } from '../src/traffic/scenarios.js';
import type { ScenarioName, PlannedRequest } from '../src/traffic/request.js';
import { ChildProgram, SERVICE_COMMAND } from './support/child-program.js';
import { KIND_SERVER, OtlpReceiver, type ReceivedSpan } from './support/otlp-receiver.js';

jest.setTimeout(120_000);

let receiver: OtlpReceiver;
let service: ChildProgram;
let serviceUrl: string;

beforeAll(async () => {
  receiver = await OtlpReceiver.start();
  service = new ChildProgram(SERVICE_COMMAND, {
    OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url,
    OTEL_BSP_SCHEDULE_DELAY: '100',
    OTEL_METRIC_EXPORT_INTERVAL: '1000',
    DEMO_TRANSACTION_TIMEOUT_MS: '150',
  });
  [, serviceUrl] = (await service.waitForOutput(/listening on (\S+)/)) as unknown as [string, string];
});

afterAll(async () => {
  await service.kill();
  await receiver.close();
});

interface Answer {
  readonly traceId: string;
  readonly statusCode: number;
}

async function send(request: PlannedRequest): Promise<Answer> {
  const traceId = randomBytes(16).toString('hex');
  const response = await fetch(new URL(request.path, serviceUrl), {
    method: request.method,
    headers: {
      traceparent: `00-${traceId}-${randomBytes(8).toString('hex')}-01`,
      ...(request.body !== undefined && { 'content-type': 'application/json' }),
    },
    ...(request.body !== undefined && { body: request.body }),
  });
  await response.arrayBuffer();
  return { traceId, statusCode: response.status };
}

function scenarioRequest(name: ScenarioName, isFixed: boolean): PlannedRequest {
  return createScenario(name, isFixed, createRandom(3)).find((request) => request.kind === name)!;
}

function longestBlockOf(traceId: string): ReceivedSpan | undefined {
  return receiver.spans
    .filter((span) => span.traceId === traceId && span.name === SPAN_EVENT_LOOP_BLOCKED)
    .sort((a, b) => b.durationMs - a.durationMs)[0];
}

/** The block and the SERVER span of a request, when both have come. */
async function sendAndWait(request: PlannedRequest): Promise<{ block: ReceivedSpan; server: ReceivedSpan }> {
  const { traceId, statusCode } = await send(request);
  expect(statusCode).toBeLessThan(300);
  const timeout = AbortSignal.timeout(20_000);
  const block = await receiver.waitForSpan(
    (span) => span === longestBlockOf(span.traceId) && span.traceId === traceId,
    timeout,
  );
  const server = await receiver.waitForSpan((span) => span.traceId === traceId && span.kind === KIND_SERVER, timeout);
  return { block, server };
}

/** The thread computed, or would have, had the machine let it: the tests' machine may be overloaded. */
function expectComputed({ attributes, durationMs }: ReceivedSpan): void {
  expect(['javascript', 'cpu_starved']).toContain(attributes[ATTR_BLOCKED_CAUSE]);
  const cpuTime = attributes[ATTR_BLOCKED_CPU_TIME];
  // Absent where the system does not tell.
  const runnableMs =
    cpuTime === undefined
      ? durationMs
      : 1000 * (Number(cpuTime) + Number(attributes[ATTR_BLOCKED_RUN_QUEUE_TIME] ?? 0));
  expect(runnableMs / durationMs).toBeGreaterThan(0.7);
}

const scenarios = [
  { name: 'trace-view', culprit: 'createSpans', file: 'runs/trace-view.ts', route: '/runs/:runId/trace' },
  { name: 'large-payload', culprit: 'admitDefinition', file: 'tasks/definition.ts', route: '/tasks' },
  { name: 'schedule-list', culprit: 'listSchedules', file: 'schedules/routes.ts', route: '/projects/:slug/schedules' },
  { name: 'dashboard', culprit: 'rankByDuration', file: 'graphql/duration-rank.ts', route: '/graphql' },
] as const;

describe.each(scenarios)('$name', ({ name, culprit, file, route }) => {
  test('is blamed on the code that blocks, in the request that ran it', async () => {
    const { block, server } = await sendAndWait(scenarioRequest(name, false));
    expect(block.attributes).toMatchObject({
      [ATTR_CODE_FUNCTION_NAME]: culprit,
      [ATTR_CODE_FILE_PATH]: expect.stringMatching(new RegExp(`/src/${file}$`)),
    });
    expectComputed(block);
    expect(server.attributes).toMatchObject({ 'http.route': route });
    expect(receiver.lineage(block).map((span) => span.spanId)).toContain(server.spanId);
    // It is the block that the request took its time for.
    expect(block.durationMs).toBeGreaterThan(server.durationMs / 2);
  });

  test('blocks for a fraction of the time, if at all, when it is fixed', async () => {
    const { block } = await sendAndWait(scenarioRequest(name, false));
    const { traceId } = await send(scenarioRequest(name, true));
    // Spans come in the order in which they ended: what is sent after the twin's span closes the book on it.
    const after = await send({ kind: 'quick', method: 'GET', path: '/healthz' });
    await receiver.waitForSpan((span) => span.traceId === after.traceId, AbortSignal.timeout(20_000));
    expect(longestBlockOf(traceId)?.durationMs ?? 0).toBeLessThan(block.durationMs / 2);
  });
});

test('a transaction under way when somebody else blocks runs into its timeout, and its request is told who blocked', async () => {
  const view: PlannedRequest = { kind: 'trace-view', method: 'GET', path: '/runs/1/trace?logs=12000' };
  const trigger: PlannedRequest = { kind: 'quick', method: 'POST', path: '/tasks/1/runs', body: '{}' };
  let timedOut: Answer | undefined;
  // The second view must come while the transaction is open: which of both the kernel hands over first is not ours.
  for (let attempt = 0; attempt < 10 && timedOut === undefined; attempt++) {
    const first = send(view);
    const others = [send(trigger), send(trigger), send(view), send(trigger), send(view)];
    await first;
    timedOut = (await Promise.all(others)).find((answer) => answer.statusCode === 503);
  }
  expect(timedOut).toBeDefined();
  const { traceId } = timedOut!;
  const timeout = AbortSignal.timeout(20_000);
  const isOfIt = (span: ReceivedSpan): boolean => span.traceId === traceId;
  const server = await receiver.waitForSpan((span) => isOfIt(span) && span.kind === KIND_SERVER, timeout);
  const transaction = await receiver.waitForSpan(
    (span) => isOfIt(span) && span.name.startsWith('transaction'),
    timeout,
  );
  expect(transaction).toMatchObject({ name: 'transaction trigger-run', isError: true });
  expect(server.attributes[ATTR_BLOCKED_WAIT_TIME]).toBeGreaterThan(0.1);

  const isCulpritBlock = (span: ReceivedSpan): boolean => server.linkedSpanIds.includes(span.spanId);
  const block = await receiver.waitForSpan(isCulpritBlock, timeout);
  expect(block.name).toBe(SPAN_EVENT_LOOP_BLOCKED);
  expect(block.attributes[ATTR_CODE_FUNCTION_NAME]).toBe('createSpans');
  expect(block.attributes[ATTR_BLOCKED_VICTIMS]).toBeGreaterThanOrEqual(1);
  // The request that blocked owes its time to itself.
  const culprit = receiver.lineage(block).find((span) => span.kind === KIND_SERVER);
  expect(culprit?.attributes['http.route']).toBe('/runs/:runId/trace');
  expect(culprit?.linkedSpanIds).not.toContain(block.spanId);
});

test('GraphQL, Fastify and the database have spans of their own', async () => {
  const { block } = await sendAndWait(scenarioRequest('dashboard', false));
  const names = receiver.spans.filter((span) => span.traceId === block.traceId).map((span) => span.name);
  expect(names).toEqual(expect.arrayContaining(['query Dashboard', 'graphql.resolve project', 'request']));
});

test('what is sent says who sent it, and metrics are sent too', async () => {
  const { traceId } = await send({ kind: 'quick', method: 'GET', path: '/healthz' });
  await receiver.waitForSpan((span) => span.traceId === traceId, AbortSignal.timeout(20_000));
  expect([...receiver.serviceNames]).toEqual(['loopwatch-demo']);
  expect([...receiver.paths]).toContain('/v1/metrics');
});

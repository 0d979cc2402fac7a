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
import { stolenMs } from './support/stolen.js';

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

/** Sends a request and waits for its block and its SERVER span. */
async function sendAndWait(
  request: PlannedRequest,
): Promise<{ block: ReceivedSpan; server: ReceivedSpan; hostMs: number }> {
  const stolenBeforeMs = stolenMs();
  const { traceId, statusCode } = await send(request);
  const hostMs = stolenMs() - stolenBeforeMs;
  expect(statusCode).toBeLessThan(300);
  const timeout = AbortSignal.timeout(20_000);
  const block = await receiver.waitForSpan(
    (span) => span === longestBlockOf(span.traceId) && span.traceId === traceId,
    timeout,
  );
  const server = await receiver.waitForSpan((span) => span.traceId === traceId && span.kind === KIND_SERVER, timeout);
  return { block, server, hostMs };
}

/** The default of `blockedThresholdMs`. */
const THRESHOLD_MS = 100;

/**
 * The thread computed. On an overloaded machine it also waited for a CPU: its cause only if it would have been short. In
 * `hostMs` of it, the host had taken the CPU away.
 */
function expectComputed({ attributes, durationMs }: ReceivedSpan, hostMs: number): void {
  const runQueueMs = 1000 * Number(attributes[ATTR_BLOCKED_RUN_QUEUE_TIME] ?? 0);
  expect(attributes[ATTR_BLOCKED_CAUSE]).toBe(durationMs - runQueueMs < THRESHOLD_MS ? 'cpu_starved' : 'javascript');
  const cpuTime = attributes[ATTR_BLOCKED_CPU_TIME];
  // Absent where the operating system does not report it.
  const runnableMs = cpuTime === undefined ? durationMs : 1000 * Number(cpuTime) + runQueueMs + hostMs;
  expect(runnableMs / durationMs).toBeGreaterThan(0.7);
}

const scenarios = [
  { name: 'trace-view', culprit: 'createSpans', file: 'runs/trace-view.ts', route: '/runs/:runId/trace' },
  { name: 'large-payload', culprit: 'admitDefinition', file: 'tasks/definition.ts', route: '/tasks' },
  { name: 'schedule-list', culprit: 'listSchedules', file: 'schedules/routes.ts', route: '/projects/:slug/schedules' },
  { name: 'dashboard', culprit: 'rankByDuration', file: 'graphql/duration-rank.ts', route: '/graphql' },
] as const;

describe.each(scenarios)('$name', ({ name, culprit, file, route }) => {
  test('is attributed to the code that blocks, in the request that runs it', async () => {
    const { block, server, hostMs } = await sendAndWait(scenarioRequest(name, false));
    expect(block.attributes).toMatchObject({
      [ATTR_CODE_FUNCTION_NAME]: culprit,
      [ATTR_CODE_FILE_PATH]: expect.stringMatching(new RegExp(`/src/${file}$`)),
    });
    expectComputed(block, hostMs);
    expect(server.attributes).toMatchObject({ 'http.route': route });
    expect(receiver.lineage(block).map((span) => span.spanId)).toContain(server.spanId);
    // The block takes most of the time of the request.
    expect(block.durationMs).toBeGreaterThan(server.durationMs / 2);
  });

  test('blocks for less than half the time when it is fixed', async () => {
    const { block } = await sendAndWait(scenarioRequest(name, false));
    const { traceId } = await send(scenarioRequest(name, true));
    // Spans arrive in the order in which they end: once a later span is here, so is any block of the fixed variant.
    const after = await send({ kind: 'quick', method: 'GET', path: '/healthz' });
    await receiver.waitForSpan((span) => span.traceId === after.traceId, AbortSignal.timeout(20_000));
    expect(longestBlockOf(traceId)?.durationMs ?? 0).toBeLessThan(block.durationMs / 2);
  });
});

test('a transaction that is open during the block of another request times out, and its request links to the block', async () => {
  const view: PlannedRequest = { kind: 'trace-view', method: 'GET', path: '/runs/1/trace?logs=12000' };
  const trigger: PlannedRequest = { kind: 'quick', method: 'POST', path: '/tasks/1/runs', body: '{}' };
  let timedOut: Answer | undefined;
  // The second view must arrive while the transaction is open, but the kernel decides which request arrives first.
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
  // The blocking request is no victim of its own block.
  const culprit = receiver.lineage(block).find((span) => span.kind === KIND_SERVER);
  expect(culprit?.attributes['http.route']).toBe('/runs/:runId/trace');
  expect(culprit?.linkedSpanIds).not.toContain(block.spanId);
});

test('GraphQL, Fastify and the database have spans of their own', async () => {
  const { block } = await sendAndWait(scenarioRequest('dashboard', false));
  const names = receiver.spans.filter((span) => span.traceId === block.traceId).map((span) => span.name);
  expect(names).toEqual(expect.arrayContaining(['query Dashboard', 'graphql.resolve project', 'request']));
});

test('exported data carries the service name, and metrics are exported too', async () => {
  const { traceId } = await send({ kind: 'quick', method: 'GET', path: '/healthz' });
  await receiver.waitForSpan((span) => span.traceId === traceId, AbortSignal.timeout(20_000));
  expect([...receiver.serviceNames]).toEqual(['loopwatch-demo']);
  expect([...receiver.paths]).toContain('/v1/metrics');
});

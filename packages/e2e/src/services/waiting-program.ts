import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import * as semconv from '@loopwatch/instrumentation-event-loop/semconv';

import { eventually } from '../eventually.ts';
import type { TestStack } from '../test-stack.ts';
import { run, telemetryOfDemo } from './demo.ts';

/** The hang takes ten seconds; what the program exports of it follows within seconds. */
const EXPORTED_WITHIN_MS = 60_000;
const SUSPENDED_MS = 1_500;
const BETWEEN_MS = 500;
/** Among what the receiver has passed on. */
const REFUSED_HANG = 'refused hang report';

/**
 * A program that hangs while it waits for a child process, and is suspended in that hang, twice, which is not counted. It exports to
 * a receiver that refuses its first hang report and passes on everything else to the stack. Returns when the hang is over, and
 * the stack has the span and the metrics of it.
 */
export async function runWaitingProgram(stack: TestStack, service: string): Promise<void> {
  const passed: string[] = [];
  const receiver = await startReceiver(stack.otlpUrl, passed);
  const child = run(stack, ['--import', telemetryOfDemo, path.join(import.meta.dirname, 'converter.mjs')], {
    OTEL_SERVICE_NAME: service,
    OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${(receiver.address() as AddressInfo).port}`,
    OTEL_BSP_SCHEDULE_DELAY: '500',
    OTEL_METRIC_EXPORT_INTERVAL: '1000',
    LOOPWATCH_HANG_THRESHOLD_MS: '2000',
  });
  await eventually(
    'the hang of the program is reported',
    () => Promise.resolve(passed),
    (what) => what.includes(REFUSED_HANG),
    { withinMs: EXPORTED_WITHIN_MS },
  );
  // A suspension that meets the watchdog at work, as at that report, and not asleep, is not recognised.
  for (let i = 0; i < 2; i++) {
    await sleep(BETWEEN_MS);
    child.kill('SIGSTOP');
    await sleep(SUSPENDED_MS);
    child.kill('SIGCONT');
  }
  await eventually(
    'the block of the program and metrics after it are exported',
    () => Promise.resolve(passed.slice(passed.indexOf(semconv.SPAN_EVENT_LOOP_BLOCKED))),
    ([block, ...later]) => block === semconv.SPAN_EVENT_LOOP_BLOCKED && later.includes('/v1/metrics'),
    { withinMs: EXPORTED_WITHIN_MS },
  );
  child.kill('SIGKILL');
  await once(child, 'exit');
  receiver.closeAllConnections();
  receiver.close();
}

/** `passed` gets what the stack has accepted: the block, or the path of the request; and what was refused. */
async function startReceiver(otlpUrl: string, passed: string[]): Promise<Server> {
  let hasRefused = false;
  const forward = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks);
    if (!hasRefused && body.includes(semconv.SPAN_EVENT_LOOP_HANG)) {
      hasRefused = true;
      passed.push(REFUSED_HANG);
      response.writeHead(400).end();
      return;
    }
    const answer = await fetch(otlpUrl + request.url!, {
      method: 'POST',
      headers: Object.fromEntries(
        ['content-type', 'content-encoding'].flatMap((name) => {
          const value = request.headers[name];
          return typeof value === 'string' ? [[name, value]] : [];
        }),
      ),
      body,
    });
    response.writeHead(answer.status, { 'content-type': 'application/json' }).end(await answer.text());
    const hasBlock = request.url === '/v1/traces' && body.includes(semconv.SPAN_EVENT_LOOP_BLOCKED);
    if (answer.ok) passed.push(hasBlock ? semconv.SPAN_EVENT_LOOP_BLOCKED : request.url!);
  };
  const server = createServer((request, response) => {
    forward(request, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return server;
}

import path from 'node:path';

import { beforeAll, describe, expect, test } from '@jest/globals';
import type { RunResult, SpanRecord } from '@loopwatch/test-support';

import { runUnstarved } from '../support.ts';
import { frameworks } from './extras.ts';
import { environmentTree, expectOneBlock, INSTALL_TIMEOUT_MS } from './support.ts';

const SERVER = 1;
// SDK 2.x, because the instrumentation of Express needs it; the frameworks behave the same on every Node.js major.
const combination = { nodeMajor: 24, sdk: 'sdk2' } as const;

beforeAll(() => environmentTree(combination.sdk, frameworks), INSTALL_TIMEOUT_MS);

describe('A route handler that blocks has its culprit, in the span of its request', () => {
  test.each(['express', 'fastify', 'nest'])('%s, with the instrumentation of node:http', async (framework) => {
    const result = await run(framework);
    expect(parentOf(result, await expectReport(result))?.kind).toBe(SERVER);
  });

  test('Express, with the instrumentation of Express as well', async () => {
    const result = await run('express-instrumented');
    const handler = parentOf(result, await expectReport(result));
    expect(handler?.attributes['express.type']).toBe('request_handler');
    expect(parentOf(result, handler)?.kind).toBe(SERVER);
  });
});

async function run(framework: string): Promise<RunResult> {
  const tree = await environmentTree(combination.sdk, frameworks);
  const program = `frameworks/${framework}.cjs`;
  return runUnstarved({ combination, tree, program, preload: 'require', telemetry: { http: true } });
}

/** Expects that the request was answered and that its block has its culprit. */
async function expectReport(result: RunResult): Promise<SpanRecord> {
  const { directory } = await environmentTree(combination.sdk, frameworks);
  expect(result.notes.get('status')).toBe(200);
  const file = path.join(directory, 'frameworks/requests.cjs');
  return expectOneBlock(result, { functionName: 'renderReport', file, lines: [8, 13] });
}

function parentOf({ spans }: RunResult, span: SpanRecord | undefined): SpanRecord | undefined {
  return spans.find(({ spanId, traceId }) => spanId === span?.parentSpanId && traceId === span.traceId);
}

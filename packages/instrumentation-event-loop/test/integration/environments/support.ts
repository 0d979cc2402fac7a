import path from 'node:path';

import { expect } from '@jest/globals';
import { consumerWith, programTree } from '@loopwatch/test-support';
import type { Extras, ProgramTree, RunResult, SdkLine, SpanRecord } from '@loopwatch/test-support';

import { expectCleanExit, spansOfBlocks } from '../support.ts';

/** Timeout of `beforeAll`: long enough to install from a slow registry into an empty cache. */
export const INSTALL_TIMEOUT_MS = 400_000;

/** Copies the fixtures of this folder into a consumer project that has the extras. */
export async function environmentTree(sdk: SdkLine, extras: Extras): Promise<ProgramTree> {
  return programTree(await consumerWith(sdk, extras), path.join(import.meta.dirname, 'fixtures'));
}

/** The function of a fixture that has to be the culprit. */
export interface Place {
  readonly functionName: string;
  readonly file: string;
  /** First and last line of the function. */
  readonly lines: readonly [number, number];
}

/** Expects a clean exit without stderr, and one block with that culprit, whose parent is the span of the fixture. */
export function expectOneBlock(result: RunResult, place: Place): SpanRecord {
  expectCleanExit(result);
  expect(result.stderr).toBe('');
  const [span, ...others] = spansOfBlocks(result);
  expect(others).toEqual([]);
  expect(span?.parentSpanId).toBe(result.truths[0]?.spanId);
  expectCulprit(span, place);
  return span!;
}

export function expectCulprit(span: SpanRecord | undefined, { functionName, file, lines: [first, last] }: Place): void {
  expect(span?.attributes['code.function.name']).toBe(functionName);
  expect(span?.attributes['code.file.path']).toBe(file);
  const line = Number(span?.attributes['code.line.number']);
  expect(line).toBeGreaterThanOrEqual(first);
  expect(line).toBeLessThanOrEqual(last);
}

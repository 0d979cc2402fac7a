import path from 'node:path';

import { expect } from '@jest/globals';
import { combinationPerMajor, consumerWith, programTree } from '@loopwatch/test-support';
import type { Extras, ProgramTree, RunResult, SdkLine, SpanRecord } from '@loopwatch/test-support';

import { expectCleanExit, spansOfBlocks } from '../support.ts';

/** For `beforeAll`: an installation from a slow registry into an empty cache. */
export const INSTALL_TIMEOUT_MS = 400_000;

/** The two ends of what is supported, for what may change between Node majors. */
export const oldestAndNewest = combinationPerMajor.filter(({ nodeMajor }) => nodeMajor === 20 || nodeMajor === 26);

/** The fixtures of this folder, laid into a consumer that has the extras. */
export async function environmentTree(sdk: SdkLine, extras: Extras): Promise<ProgramTree> {
  return programTree(await consumerWith(sdk, extras), path.join(import.meta.dirname, 'fixtures'));
}

/** A function of a fixture: where the culprit has to be. */
export interface Place {
  readonly functionName: string;
  readonly file: string;
  /** First and last line of the function. */
  readonly lines: readonly [number, number];
}

/** The program ended well and said nothing of ours, and its one block has that culprit and its own span as parent. */
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

import { expect, test } from '@jest/globals';
import { areStartUpSamples } from '../../../src/blocks/start-up-samples.js';
import { frame, nodeFrame, sample } from '../support/builders.js';

const app = frame('main');
const loader = (fileName: string, isAsync = false) => sample([app, nodeFrame('load', { fileName, isAsync })]);
const running = sample([app, nodeFrame('listOnTimeout')]);

test.each([
  'node:internal/modules/run_main',
  'node:internal/modules/esm/module_job',
  'node:internal/main/run_main_module',
  'node:internal/main/worker_thread',
  'node:internal/process/execution',
])('a frame of %s is start-up: it evaluates modules', (fileName) => {
  expect(areStartUpSamples([loader(fileName)])).toBe(true);
});

test('a module that is required later is not start-up: it blocks the code that requires it', () => {
  expect(areStartUpSamples([loader('node:internal/modules/cjs/loader')])).toBe(false);
});

test('code after a top-level await is not start-up: it runs in the loop', () => {
  expect(areStartUpSamples([loader('node:internal/modules/esm/module_job', true)])).toBe(false);
});

test('samples are start-up when more than half of them evaluate modules', () => {
  const evaluation = loader('node:internal/modules/esm/module_job');
  expect(areStartUpSamples([evaluation, evaluation, running])).toBe(true);
  expect(areStartUpSamples([evaluation, running])).toBe(false);
});

test('no samples are not start-up', () => {
  expect(areStartUpSamples([])).toBe(false);
});

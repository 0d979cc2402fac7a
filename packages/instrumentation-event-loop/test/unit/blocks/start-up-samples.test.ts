import { describe, expect, test } from '@jest/globals';
import { areStartUpSamples, isStartUp, showsApplicationInLoop } from '../../../src/blocks/no-block.js';
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

test('Node that loads a module is start-up, application code that requires one is not', () => {
  const loading = nodeFrame('compileSourceTextModule', { fileName: 'node:internal/modules/esm/utils' });
  expect(areStartUpSamples([sample([loading])])).toBe(true);
  expect(areStartUpSamples([sample([loading, app])])).toBe(false);
});

test('most samples must show the application outside of modules that are loaded for the loop to run it', () => {
  const evaluation = loader('node:internal/modules/esm/module_job');
  const ofNode = sample([nodeFrame('listOnTimeout')]);
  expect(showsApplicationInLoop([running, running, evaluation])).toBe(true);
  expect(showsApplicationInLoop([running, evaluation])).toBe(false);
  expect(showsApplicationInLoop([running, ofNode])).toBe(false);
  expect(showsApplicationInLoop([])).toBe(false);
});

describe('a busy period without a sample that shows code', () => {
  const empty = sample([]);

  test.each([
    ['likely', true],
    ['possible', false],
    ['over', false],
  ] as const)('is start-up when that is %s: %j', (startUp, expected) => {
    expect(isStartUp({ startUp, samples: [] })).toBe(expected);
    expect(isStartUp({ startUp, samples: [empty] })).toBe(expected);
  });
});

describe('a busy period whose samples show the evaluation of modules', () => {
  const evaluation = loader('node:internal/modules/esm/module_job');

  test.each([
    ['likely', true],
    ['possible', true],
    ['over', false],
  ] as const)('is start-up when that is %s: %j', (startUp, expected) => {
    expect(isStartUp({ startUp, samples: [evaluation] })).toBe(expected);
  });
});

describe('a busy period whose samples show a module for which the application waits', () => {
  const awaiting = frame('', { isAsync: true });
  const evaluation = sample([app, nodeFrame('run', { fileName: 'node:internal/modules/esm/module_job' }), awaiting]);

  test.each([
    ['likely', true],
    ['possible', false],
    ['over', false],
  ] as const)('is start-up when that is %s: %j', (startUp, expected) => {
    expect(isStartUp({ startUp, samples: [evaluation] })).toBe(expected);
  });
});

test('a busy period whose samples show a callback is no start-up, also before the entry point has been evaluated', () => {
  expect(isStartUp({ startUp: 'likely', samples: [running] })).toBe(false);
});

test('no samples are not start-up', () => {
  expect(areStartUpSamples([])).toBe(false);
});

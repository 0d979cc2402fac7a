import { describe, expect, test } from '@jest/globals';
import { qualityOf } from '../../../src/blocks/quality.js';
import { findCulprit } from '../../../src/blocks/culprit.js';
import type { Segment } from '../../../src/blocks/segments.js';
import type { Frame } from '../../../src/contract/model.js';
import {
  builtinFrame,
  dependencyFrame,
  entryFrame,
  frame,
  loaderHookFrame,
  nodeFrame,
  telemetryFrame,
  segment,
} from '../support/builders.js';
import { at, loopTop, nameOf } from '../support/culprits.js';

describe('telemetry', () => {
  const handler = at('handler', 5);
  const wrapper = telemetryFrame('patchedHandler', { functionLineNumber: 90 });
  const own = (functionName: string, lineNumber: number): Frame =>
    frame(functionName, {
      fileName: '/srv/bundle.js',
      functionLineNumber: lineNumber,
      lineNumber: lineNumber + 2,
      isOwn: true,
    });

  test('that wraps a handler of the application is not the culprit', () => {
    const inWrapper = [wrapper, builtinFrame('AsyncLocalStorage.run'), wrapper, handler, ...loopTop];
    expect(nameOf([segment(inWrapper, 90), segment([handler, wrapper, ...loopTop], 10)])).toBe('handler');
  });

  test('that wraps a package is not the culprit', () => {
    expect(nameOf([segment([wrapper, dependencyFrame('next'), wrapper, ...loopTop])])).toBe('next');
  });

  test('does not take the callback of a function that it wraps', () => {
    const callback = frame('', { functionLineNumber: 80, lineNumber: 84 });
    expect(findCulprit([segment([callback, wrapper, loaderHookFrame()])])?.frame).toBe(callback);
  });

  test('is the culprit where nothing else is on the stack, before the functions of Node that it calls', () => {
    const serialise = telemetryFrame('serializeRequest', { functionLineNumber: 20 });
    expect(nameOf([segment([nodeFrame('fromString'), serialise, telemetryFrame('export'), ...loopTop])])).toBe(
      'serializeRequest',
    );
  });

  test('is the culprit of what the serialiser does that it calls', () => {
    const write = dependencyFrame('Writer.finish', { fileName: '/srv/app/node_modules/protobufjs/src/writer.js' });
    expect(nameOf([segment([write, telemetryFrame('serializeRequest'), ...loopTop])])).toBe('serializeRequest');
    expect(nameOf([segment([write, telemetryFrame('serializeRequest')], 40), segment([handler], 60)])).toBe('handler');
  });

  test('is not the culprit when it is called after a native call has ended', () => {
    const onEnd = { ...entryFrame('onEnd'), fileName: wrapper.fileName };
    expect(findCulprit([segment([onEnd, wrapper, ...loopTop], 300, { isLate: true })])).toBeUndefined();
  });

  test('of this package is one culprit, however many of its functions were running', () => {
    const samples = ['findCulprit', 'originOf', 'report', 'onLag'].map((name, i) => segment([own(name, 10 * i + 1)]));
    expect(findCulprit(samples)?.segments).toHaveLength(4);
  });

  test('of this package is not the culprit while it answers a native call of the application too late', () => {
    // Behind its entry: minified code does not show where that is.
    const onTick = { ...own('onTick', 10), columnNumber: 40 };
    expect(findCulprit([segment([onTick, ...loopTop], 300, { isLate: true })])).toBeUndefined();
  });
});

describe('a hook of the module loader', () => {
  test('is not the culprit of what a module does when it is loaded', () => {
    const load = [nodeFrame('wrapSafe'), nodeFrame('Module._load'), loaderHookFrame(), at('Object.<anonymous>', 1, 4)];
    expect(findCulprit([segment(load)])?.frame.fileName).toBe('/srv/app/logs.js');
  });

  test('is not the culprit of a chain of modules, each of which the program loads through its own hook', () => {
    const hook = dependencyFrame('mod.require', { fileName: '/srv/app/node_modules/next/require-hook.js' });
    const inLoader = (name: string): Frame => nodeFrame(name, { fileName: 'node:internal/modules/cjs/loader' });
    const require = nodeFrame('require', { fileName: 'node:internal/modules/helpers' });
    const load = [inLoader('Module._compile'), inLoader('Module.require'), hook, require];
    const moduleAt = (fileName: string): Frame => dependencyFrame('Object.<anonymous>', { fileName });
    const first = moduleAt('/srv/app/node_modules/next/build.js');
    const samples = ['a', 'b', 'c'].map((name) =>
      segment([moduleAt(`/srv/app/node_modules/${name}/index.js`), ...load, first, ...load, ...loopTop]),
    );
    expect(findCulprit(samples)?.frame).toBe(first);
  });

  test('is not the culprit of the modules that it loads, where a bundler wrote it into the bundle', () => {
    const load = at('__webpack_require__', 1);
    const samples = [20, 30, 40].map((line) => segment([at('', line), load, at('loadRoutes', 50), load, ...loopTop]));
    expect(nameOf(samples)).toBe('loadRoutes');
  });

  test('is not the culprit where only Node is on the stack besides', () => {
    expect(nameOf([segment([loaderHookFrame(), nodeFrame('Module._load'), ...loopTop])])).toBe('Module._load');
  });

  test('alone on the stack makes no culprit', () => {
    expect(findCulprit([segment([loaderHookFrame()])])).toBeUndefined();
  });
});

describe('code that was evaluated as text', () => {
  const evaluated = { ...at('countPrimes', 3), lineNumber: 133, evaluated: { isAtEntry: false } };

  test('is the culprit where it ran', () => {
    const run = at('run', 120, 133);
    expect(nameOf([segment([evaluated, run]), segment([evaluated, run])])).toBe('countPrimes');
  });

  test('is not the culprit where it was about to begin after a native call', () => {
    const next = { ...evaluated, evaluated: { isAtEntry: true } };
    expect(nameOf([segment([next, at('run', 120, 133)], 300, { isLate: true })])).toBe('run');
  });

  test('encloses no callback: its lines are not those of the file', () => {
    const callback = at('', 60);
    const text = { ...evaluated, functionLineNumber: 55 };
    expect(nameOf([segment([callback, text, at('run', 50, 133)])])).toBe('run');
  });
});

describe('functions of Node that run callbacks', () => {
  const ticks = nodeFrame('process.processTicksAndRejections', { fileName: 'node:internal/process/task_queues' });
  const inNode = (name: string, ms: number): Segment =>
    segment([nodeFrame(name, { fileName: `node:internal/${name}` }), ticks], ms);

  test('are not the culprit where another function of Node has half of the time, although more answers show them', () => {
    const samples = [inNode('successSteps', 70), inNode('successSteps', 70), segment([frame('handler'), ticks], 30)];
    expect(nameOf(samples)).toBe('successSteps');
  });

  test('abstain where they are alone on the stack: few other answers show the function that awaits', () => {
    const awaiting = [ticks, { ...frame('drainQueueForever'), isAsync: true }];
    const between = Array.from({ length: 6 }, () => segment([ticks], 40));
    const withBuiltin = segment([builtinFrame('Promise.then'), ticks], 40);
    expect(nameOf([...between, withBuiltin, ...[20, 20, 20].map((ms) => segment(awaiting, ms))])).toBe(
      'drainQueueForever',
    );
  });

  test('are no culprit where nothing else is on a stack, as after the last native call of a callback', () => {
    const segments = Array.from({ length: 3 }, () => segment([ticks], 40));
    expect(findCulprit(segments)).toBeUndefined();
    expect(qualityOf({ segments, culprit: undefined })).toEqual({
      quality: 'post_native',
      guess: 'answered between calls',
    });
  });

  test('are the culprit where none has', () => {
    expect(nameOf([inNode('read', 40), inNode('write', 40), inNode('close', 40)])).toBe(ticks.functionName);
  });
});

import { describe, expect, test } from '@jest/globals';
import { OwnFrames } from '../../../src/probe/own-frames.js';
import type { Frame } from '../../../src/contract/model.js';
import { builtinFrame, entryFrame, frame, nodeFrame } from '../support/builders.js';

const BUNDLE = '/srv/app/dist/server.js';

function names(frames: readonly Frame[]): string[] {
  return frames.filter(({ isOwn }) => isOwn === true).map(({ functionName }) => functionName);
}

describe('in a file of this package', () => {
  test.each([
    '/srv/node_modules/@loopwatch/instrumentation-event-loop/dist/index.cjs',
    'C:\\srv\\node_modules\\@loopwatch\\instrumentation-event-loop\\dist\\index.cjs',
    'file:///home/dev/loopwatch/packages/instrumentation-event-loop/dist/index.mjs',
  ])('%s, all frames of that file are marked', (fileName) => {
    const ownFrames = new OwnFrames();
    ownFrames.addEntry(frame('onTick', { fileName }));
    const stack = [frame('onEnding', { fileName }), frame('handler'), nodeFrame('emit')];
    expect(names(ownFrames.mark(stack))).toEqual(['onEnding']);
  });
});

test.each(['/register.mjs', '\\register.mjs'])(
  'in a workspace, the other files of this package are marked, and none of the application (%s)',
  (file) => {
    const folder = ['', 'home', 'dev', 'loopwatch', 'packages', 'instrumentation-event-loop', 'dist'].join(file[0]);
    const ownFrames = new OwnFrames();
    ownFrames.addEntry(frame('onTick', { fileName: `${folder}${file[0]}index.mjs` }));
    const stack = [
      frame('importFromApplication', { fileName: `${folder}${file}`, isAsync: true }),
      frame('handler', { fileName: `${folder}board${file}` }),
    ];
    expect(names(ownFrames.mark(stack))).toEqual(['importFromApplication']);
  },
);

describe('in the bundle of an application', () => {
  const onTick = frame('onTick', { fileName: BUNDLE, functionLineNumber: 100, lineNumber: 120 });
  const ownFrames = new OwnFrames();
  ownFrames.addEntry(onTick);

  test('a function that the event loop calls is marked, and what it calls in the bundle', () => {
    const stack = [nodeFrame('writeSync'), frame('judge', { fileName: BUNDLE }), onTick, nodeFrame('processImmediate')];
    expect(names(ownFrames.mark(stack))).toEqual(['judge', 'onTick']);
  });

  test('code of the application is not marked', () => {
    const stack = [frame('handler', { fileName: BUNDLE }), nodeFrame('processTimers')];
    expect(ownFrames.mark(stack)).toBe(stack);
  });
});

test('a bundle that has no file name takes no function of V8 for its own', () => {
  const ownFrames = new OwnFrames(true);
  ownFrames.addEntry(frame('onTick', { fileName: '' }));
  const stack = [builtinFrame('Array.map'), frame('handler')];
  expect(ownFrames.mark(stack)).toBe(stack);
});

test('in a bundle without code of an application, all frames of that file are marked', () => {
  const ownFrames = new OwnFrames(true);
  ownFrames.addEntry(frame('onTick', { fileName: BUNDLE }));
  ownFrames.addEntry(frame('judgeDue', { fileName: 'loopwatch:deferred' }));
  expect(names(ownFrames.mark([frame('onEnding', { fileName: BUNDLE }), frame('handler')]))).toEqual(['onEnding']);
});

test('what deferred code calls in the bundle of an application is marked', () => {
  const judgeDue = frame('judgeDue', { fileName: 'loopwatch:deferred', functionLineNumber: 1, lineNumber: 1 });
  const ownFrames = new OwnFrames();
  ownFrames.addEntry(frame('onTick', { fileName: BUNDLE }));
  ownFrames.addEntry(judgeDue);
  const stack = [
    frame('onBlock', { fileName: BUNDLE }),
    { ...judgeDue, columnNumber: 900 },
    nodeFrame('listOnTimeout'),
  ];
  expect(names(ownFrames.mark(stack))).toEqual(['onBlock', 'judgeDue']);
});

test('a sample at the entry of a function that the event loop calls shows nothing of the code that ran before', () => {
  const ownFrames = new OwnFrames();
  const onTick = entryFrame('onTick');
  ownFrames.addEntry({ ...onTick, lineNumber: onTick.lineNumber + 2 });
  expect(ownFrames.mark([onTick, nodeFrame('processImmediate')])).toEqual([]);
});

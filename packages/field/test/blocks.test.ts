import { expect, test } from '@jest/globals';

import { blocksOfRecording, blocksOfTraces } from '../src/blocks.ts';

test('a recording gives blocks with the id of their process', () => {
  const block = { startMs: 1, durationMs: 2, cause: 'native', stackQuality: 'none', ended: true, threadId: 0 };
  const processes = [{ id: 'a', pid: 12 }];
  expect(blocksOfRecording({ processes, blocks: [{ ...block, instance: 'a' }] })).toEqual([{ ...block, pid: 12 }]);
});

test('OTLP gives the blocks among its spans', () => {
  const attributes = [
    { key: 'code.function.name', value: { stringValue: 'search' } },
    { key: 'code.file.path', value: { stringValue: '/app/a.js' } },
    { key: 'code.line.number', value: { intValue: '3' } },
    { key: 'event_loop.blocked.cause', value: { stringValue: 'javascript' } },
    { key: 'event_loop.blocked.stack_quality', value: { stringValue: 'live' } },
    { key: 'thread.id', value: { intValue: 2 } },
  ];
  const times = { startTimeUnixNano: '1000000000', endTimeUnixNano: '1250000000' };
  const spans = [
    { name: 'event-loop-blocked', ...times, attributes },
    { name: 'GET', ...times },
  ];
  const resource = { attributes: [{ key: 'process.pid', value: { intValue: 77 } }] };
  expect(blocksOfTraces({ resourceSpans: [{ resource, scopeSpans: [{ spans }] }] })).toEqual([
    {
      pid: 77,
      threadId: 2,
      startMs: 1000,
      durationMs: 250,
      cause: 'javascript',
      stackQuality: 'live',
      ended: true,
      culprit: { functionName: 'search', filePath: '/app/a.js', lineNumber: 3, columnNumber: 0 },
    },
  ]);
});

import { describe, expect, test } from '@jest/globals';
import { blockAttributes } from '../../../src/export/block-attributes.js';
import { blockInfo } from '../../../src/export/block-info.js';
import * as semconv from '../../../src/semconv.js';
import { attribution, block, NO_TIMES } from '../support/builders.js';

describe('the attributes of a block', () => {
  test('have the names of the semantic conventions, and durations in seconds', () => {
    const attributes = blockAttributes(
      blockInfo(block({ attribution: attribution({ pending: ['Timeout×1'], lines: '10 150\n12 50' }) }), true, 2),
    );
    expect(attributes).toEqual({
      'event_loop.blocked.because': 'javascript 100 % of 200 ms',
      'event_loop.blocked.cause': 'javascript',
      'event_loop.blocked.cpu_time': 0.19,
      'event_loop.blocked.gc_time': 0.012,
      'event_loop.blocked.run_queue_time': 0.004,
      'event_loop.blocked.stack_quality': 'live',
      'event_loop.blocked.sample_count': 4,
      'event_loop.blocked.profile': 'handle;createSpans 200',
      'event_loop.blocked.lines': '10 150\n12 50',
      'event_loop.blocked.async_resource': 'HTTPINCOMINGMESSAGE',
      'event_loop.blocked.pending': ['Timeout×1'],
      'event_loop.blocked.suppressed_count': 2,
      'code.function.name': 'createSpans',
      'code.file.path': '/srv/app/logs.js',
      'code.line.number': 10,
      'code.column.number': 7,
      'code.stacktrace': '    at createSpans (/srv/app/logs.js:10:7)\n    at handle (/srv/app/logs.js:40:7)',
      'thread.id': 0,
      'thread.name': 'main',
    });
  });

  test('are undefined where the value is unknown', () => {
    const attributes = blockAttributes(
      blockInfo(
        block({ times: NO_TIMES, attribution: attribution({ culprit: undefined, stack: [], profile: '' }) }),
        true,
        0,
      ),
    );
    for (const name of [semconv.ATTR_BLOCKED_CPU_TIME, semconv.ATTR_BLOCKED_PENDING, semconv.ATTR_CODE_FUNCTION_NAME]) {
      expect(attributes[name]).toBeUndefined();
    }
  });

  test('say what is not counted between start and end, unless that is as little as rounding makes', () => {
    const excluded = (end: number): unknown => {
      const info = blockInfo(block({ start: 1000, end, durationMs: 200 }), true, 0);
      return blockAttributes(info)[semconv.ATTR_BLOCKED_EXCLUDED_TIME];
    };
    expect([excluded(1200.000001), excluded(4200)]).toEqual([undefined, 3]);
  });

  test('have their own copy of the pending work', () => {
    const pending = Object.freeze(['Timeout×1']);
    const attributes = blockAttributes(blockInfo(block({ attribution: attribution({ pending }) }), true, 0));
    expect(attributes[semconv.ATTR_BLOCKED_PENDING]).not.toBe(pending);
  });
});

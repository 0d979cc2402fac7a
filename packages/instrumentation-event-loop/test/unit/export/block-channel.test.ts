import { subscribe, unsubscribe, type ChannelListener } from 'node:diagnostics_channel';
import { diag, ROOT_CONTEXT } from '@opentelemetry/api';
import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { BlockChannel, hangMessage } from '../../../src/export/block-channel.js';
import { wantsHangs } from '../../../src/export/channels.js';
import { hangReportOf } from '../../../src/export/hang-report.js';
import type { BlockMessage } from '../../../src/types.js';
import { attribution, block, ranIn } from '../support/builders.js';
import { contextOf, spanContext } from '../support/tracing.js';
import { logTo } from '../support/diag-log.js';

const log = jest.fn<(message: string) => void>();
const subscriptions: [string, ChannelListener][] = [];

function listen(name: string, listener: ChannelListener): void {
  subscribe(name, listener);
  subscriptions.push([name, listener]);
}

function received(name = 'loopwatch:block'): BlockMessage[] {
  const messages: BlockMessage[] = [];
  listen(name, (message) => messages.push(message as BlockMessage));
  return messages;
}

beforeEach(() => {
  logTo(log);
  log.mockClear();
});

afterEach(() => {
  diag.disable();
  for (const [name, listener] of subscriptions.splice(0)) unsubscribe(name, listener);
});

/** The thread's clock, and the wall clock 1000000 ms ahead of it. */
let time = 5000;
function channel(captureStacks = true): BlockChannel {
  return new BlockChannel(
    captureStacks,
    () => time,
    () => time + 1_000_000,
  );
}

describe('loopwatch:block', () => {
  test('publishes a block as frozen data that JSON keeps', () => {
    const messages = received();
    expect(channel().publish(block({ start: 1000, end: 1300, durationMs: 300 }))).toBe(true);
    expect(messages).toEqual([
      expect.objectContaining({ startEpochMs: 1_001_000, durationMs: 300, threadName: 'main' }),
    ]);
    expect(messages[0]).toMatchObject({ cause: 'javascript', culprit: { functionName: 'createSpans' } });
    expect(JSON.parse(JSON.stringify(messages[0]))).toEqual(messages[0]);
    expect(Object.isFrozen(messages[0])).toBe(true);
  });

  test('names the trace of the blocking code', () => {
    const messages = received();
    const { traceId, spanId } = spanContext(1);
    channel().publish(block({ attribution: attribution(ranIn([[contextOf(spanContext(1)), 100]])) }));
    channel().publish(block({ attribution: attribution(ranIn([[ROOT_CONTEXT, 100]])) }));
    expect(messages[0]).toMatchObject({ traceId, spanId });
    expect(messages[1]).not.toHaveProperty('traceId');
  });

  test('contains no code with captureStacks: false', () => {
    const messages = received();
    channel(false).publish(block());
    expect(messages).toHaveLength(1);
    expect(Object.keys(messages[0]!)).not.toEqual(expect.arrayContaining(['culprit']));
    expect(messages[0]).not.toHaveProperty('stackTrace');
    expect(messages[0]).not.toHaveProperty('profile');
  });

  test('publishes a block once, also from two instrumentations', () => {
    const messages = received();
    const one = block();
    channel().publish(one);
    expect(channel().publish(one)).toBe(true);
    expect(messages).toHaveLength(1);
  });

  test('does not read the block when nothing subscribes', () => {
    const untouchable = new Proxy({} as ReturnType<typeof block>, {
      get: () => {
        throw new Error('read');
      },
    });
    expect(channel().publish(untouchable)).toBe(false);
  });

  test('a subscriber that throws stops neither the others nor the application, and is logged once', async () => {
    const uncaught = jest.fn();
    process.once('uncaughtException', uncaught);
    listen('loopwatch:block', () => {
      throw new Error('the logger fails');
    });
    const messages = received();
    channel().publish(block());
    channel().publish(block());
    await new Promise((resolve) => setImmediate(resolve));
    process.off('uncaughtException', uncaught);
    expect(uncaught).not.toHaveBeenCalled();
    expect(messages).toHaveLength(2);
    expect(log).toHaveBeenCalledTimes(1);
    expect(log.mock.calls[0]).toEqual(['A subscriber of loopwatch:block has thrown an error.', expect.any(Error)]);
  });

  test('publishes no block that its subscribers have caused', () => {
    const lengths: number[] = [];
    listen('loopwatch:block', (message) => {
      lengths.push((message as BlockMessage).durationMs);
      time += 300;
    });
    const publisher = channel();
    publisher.publish(block({ start: time - 200, end: time, durationMs: 200 }));
    publisher.publish(block({ start: time - 301, end: time + 1, durationMs: 302 }));
    expect(lengths).toEqual([200]);
    expect(log.mock.calls[0]?.[0]).toMatch(/^The subscribers of loopwatch:block have blocked the event loop itself/);
  });
});

describe('loopwatch:hang', () => {
  const { parent, attributes } = hangReportOf(
    block({ threadId: 3, threadName: 'pool', attribution: attribution(ranIn([[contextOf(spanContext(1)), 100]])) }),
    true,
    null,
    {},
    () => 'GET /runs/:id',
  );
  const notice = { startEpochMs: 1_000_000, durationMs: 5000, parent, attributes };

  test('has the fields that the message of the same block has', () => {
    const messages = received();
    channel().publish(
      block({ threadId: 3, threadName: 'pool', attribution: attribution(ranIn([[contextOf(spanContext(1)), 100]])) }),
    );
    const ofHang = { startEpochMs: 1_000_000, durationMs: 5000, request: 'GET /runs/:id' };
    expect(hangMessage(notice)).toEqual({ ...messages[0], ...ofHang });
  });

  test('of a thread that has not answered has no culprit', () => {
    const attributes = { 'event_loop.blocked.cause': 'unknown', 'event_loop.blocked.stack_quality': 'none' };
    expect(hangMessage({ ...notice, parent: undefined, attributes })).toEqual({
      startEpochMs: 1_000_000,
      durationMs: 5000,
      cause: 'unknown',
      stackQuality: 'none',
      sampleCount: 0,
    });
  });

  test('is wanted only while something subscribes, and then published once', () => {
    expect(wantsHangs()).toBe(false);
    const messages = received('loopwatch:hang');
    expect(wantsHangs()).toBe(true);
    const once = { ...notice };
    channel().publishHang(once);
    channel().publishHang(once);
    expect(messages).toEqual([hangMessage(notice)]);
  });
});

import { describe, expect, test } from '@jest/globals';

import { countThreads } from '../../src/page/model/count-threads.js';
import { makeBlock, makeLag } from '../support/records.js';

describe('the number of threads', () => {
  test('counts a thread that blocked and was measured once, and threads of one name that blocked each', () => {
    const blocks = [
      makeBlock({ threadId: 0 }),
      makeBlock({ threadId: 0 }),
      makeBlock({ threadId: 1, threadName: 'pool' }),
      makeBlock({ threadId: 2, threadName: 'pool' }),
      makeBlock({ threadId: 0, instance: 'i2' }),
    ];
    const lag = [makeLag(), makeLag(), makeLag({ threadName: 'pool' }), makeLag({ threadName: 'quiet' })];
    expect(countThreads(blocks, lag)).toBe(5);
    expect(countThreads([], [])).toBe(0);
  });
});

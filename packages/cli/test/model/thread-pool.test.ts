import { describe, expect, test } from '@jest/globals';

import { poolSentence, poolSentences, type PoolWait } from '../../src/model/delays/thread-pool.js';

const wait: PoolWait = {
  instance: '1',
  startMs: 0,
  durationMs: 1200,
  ended: true,
  size: 4,
  holders: ['cpu×4'],
  queued: ['FSReqCallback×12', 'GetAddrInfoReqWrap×3'],
};

describe('The sentence about the thread pool', () => {
  test('names what holds the pool, what waits, and the setting', () => {
    expect(poolSentence([wait])).toBe(
      "Tasks waited 1.20 s for libuv's thread pool: 4 of 4 threads compute, probably hashes or compression; " +
        '12 file operations and 3 lookups wait, lookups probably longer. Start fewer of them at once, or raise ' +
        'UV_THREADPOOL_SIZE (4 now) where CPUs are free.',
    );
  });

  test('says of several lookups in a full pool that they wait longer than the task that was measured', () => {
    const text = (count: number): string | undefined =>
      poolSentence([{ ...wait, queued: [`GetAddrInfoReqWrap×${count}`] }]);
    expect(text(74)).toContain('; 74 lookups wait, probably longer. ');
    expect(text(1)).toContain('; 1 lookup waits. ');
  });

  test('names the requests that were not answered then, without saying that they filled it', () => {
    const requests = ['POST /login×12', 'GET /a×b×2', 'broken', '×3', 'GET /c×1', 'GET /d×1'];
    expect(poolSentence([{ ...wait, queued: [], requests }])).toContain(
      'probably hashes or compression; not answered then: 12 × POST /login, 2 × GET /a×b, 1 × GET /c. Start fewer',
    );
    expect(poolSentence([{ ...wait, requests: [] }])).not.toContain('not answered');
  });

  test('is of the longest wait', () => {
    const shorter = { ...wait, durationMs: 300, holders: ['read×4'], queued: [] };
    expect(poolSentence([shorter, wait, shorter])).toMatch(/^Tasks waited up to 1\.20 s .*4 of 4 threads compute/);
  });

  test('names system calls as they are, each with its number of threads', () => {
    expect(poolSentence([{ ...wait, holders: ['openat×3', 'cpu×1'], queued: ['FSReqCallback×1'] }])).toContain(
      '3 of 4 threads are in openat, 1 computes, probably hashes or compression; 1 file operation waits.',
    );
  });

  test('takes CPU time of the kernel for no computation', () => {
    expect(poolSentence([{ ...wait, holders: ['kernel×4'] }])).toMatch(
      /: 4 of 4 threads work in the kernel, probably on files; .* where CPUs are free\.$/,
    );
    expect(poolSentence([{ ...wait, holders: ['kernel×1'] }])).toContain(': 1 of 4 threads works in the kernel, ');
  });

  test('says of threads that wait for other threads, as those of a native package do, that these may need a CPU', () => {
    expect(poolSentence([{ ...wait, holders: ['futex×4'] }])).toMatch(
      /: 4 of 4 threads wait for other threads, probably of a native package; .* where CPUs are free\.$/,
    );
  });

  test('speaks of a pool of one', () => {
    expect(poolSentence([{ ...wait, size: 1, holders: ['cpu×1'] }])).toContain(': 1 of 1 thread computes, ');
  });

  test('looks behind the files where nothing else holds the pool', () => {
    const text = (holders: readonly string[]): string | undefined => poolSentence([{ ...wait, holders }]);
    for (const holders of [['openat×4'], ['read×3', 'pread64×1'], ['fsync×2', 'newfstatat×2']])
      expect(text(holders)).toContain('Probably a slow disk, a network file system or a FIFO holds them');
    for (const holders of [['openat×3', 'cpu×1'], ['openat×2', 'poll×2'], ['readlinkat×2', 'system call 999×2'], []])
      expect(text(holders)).toContain('Start fewer of them at once');
  });

  test('of lookups says that they take half of the threads', () => {
    const lookups: PoolWait = { ...wait, holders: ['poll×2'], queued: ['GetAddrInfoReqWrap×4'], lane: 'slow_io' };
    expect(poolSentence([lookups])).toBe(
      "Lookups waited 1.20 s for libuv's thread pool: 2 of 4 threads wait for the network (poll); 4 lookups wait. " +
        'Lookups take at most half of the threads: keep connections open, cache addresses, or raise UV_THREADPOOL_SIZE ' +
        '(4 now).',
    );
  });

  test('says no more than the wait where nothing else is known', () => {
    const { size: _size, ...unseen } = wait;
    expect(poolSentence([{ ...unseen, holders: [], queued: [] }])).toBe(
      "Tasks waited 1.20 s for libuv's thread pool. Start fewer of them at once, or raise UV_THREADPOOL_SIZE (4 unless it is set).",
    );
  });

  test('is absent without a wait', () => {
    expect(poolSentence([])).toBeUndefined();
  });
});

describe('The sentences about several services', () => {
  test('name them, the longest wait first, and count those beyond three', () => {
    const waits = [300, 900, 700, 500, 400].map((durationMs, n) => ({ ...wait, instance: String(n), durationMs }));
    const sentences = poolSentences([...waits, { ...wait, instance: '0', durationMs: 200 }], (id) => `service-${id}`);
    expect(sentences.slice(0, 3).map((sentence) => sentence.slice(0, sentence.indexOf(' for')))).toEqual([
      'Tasks of service-1 waited 900 ms',
      'Tasks of service-2 waited 700 ms',
      'Tasks of service-3 waited 500 ms',
    ]);
    expect(sentences.at(-1)).toBe('Tasks of 2 more services waited for it, up to 400 ms.');
    expect(poolSentences([], () => 'api')).toEqual([]);
  });
});

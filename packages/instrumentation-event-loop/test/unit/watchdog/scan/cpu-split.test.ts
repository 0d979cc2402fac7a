import { closeSync, openSync, readSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { ownThreadId } from '../../../../src/contract/thread-times.js';
import { openCpuSplit, parseCpuSplit, systemShare } from '../../../../src/watchdog/scan/cpu-split.js';

describe('the CPU time of a thread in its own code and in the kernel', () => {
  const numbers = '4711 4711 0 -1 4194304 120 0 0 0 310 45 7 8 20 0 11 0 9000 0 0';

  test.each(['node', 'a name', ') R 1 2 (', ''])('is parsed behind the name of the thread: %s', (name) => {
    expect(parseCpuSplit(`4712 (${name}) R 1 ${numbers}\n`)).toEqual({ user: 310, system: 45 });
  });

  test('is unknown in any other text', () => {
    expect(parseCpuSplit('')).toBeUndefined();
    expect(parseCpuSplit('4712 (node) R 1 4711')).toBeUndefined();
    fc.assert(
      fc.property(fc.string(), (text) => {
        expect(() => parseCpuSplit(text)).not.toThrow();
      }),
    );
  });

  test('is unknown for a thread that does not exist, and once closed', () => {
    const none = openCpuSplit(2 ** 30);
    expect(none.read()).toBeUndefined();
    none.close();
    const reader = openCpuSplit(ownThreadId());
    reader.close();
    reader.close();
    expect(reader.read()).toBeUndefined();
  });
});

describe('the share of the kernel', () => {
  const at = (user: number, system: number) => ({ user, system });

  test('is that of the ticks between two readings', () => {
    expect(systemShare(at(1000, 500), at(1002, 506))).toBeCloseTo(6 / 8);
    expect(systemShare(at(1000, 500), at(1008, 500))).toBe(0);
  });

  test('is unknown without readings, and after few ticks', () => {
    expect(systemShare(undefined, at(1, 1))).toBeNaN();
    expect(systemShare(at(1, 1), undefined)).toBeNaN();
    expect(systemShare(at(1, 1), at(1, 4))).toBeNaN();
  });

  const onLinux = process.platform === 'linux' ? test : test.skip;

  onLinux('is large in a loop of calls of the file system, and small in one of JavaScript', () => {
    const reader = openCpuSplit(ownThreadId());
    const shareOf = (work: () => unknown): number => {
      const first = reader.read();
      for (let share = NaN; ; share = systemShare(first, reader.read())) {
        // Enough ticks that one more or less does not matter.
        if (!Number.isNaN(share) && reader.read()!.user + reader.read()!.system - first!.user - first!.system >= 20) {
          return share;
        }
        work();
      }
    };
    const zeros = openSync('/dev/zero', 'r');
    const buffer = Buffer.alloc(1 << 20);
    const ofFiles = shareOf(() => readSync(zeros, buffer));
    closeSync(zeros);
    // It allocates nothing: the kernel would have to find pages.
    const ofJavaScript = shareOf(() => {
      let sum = 0;
      for (let i = 0; i < 1_000_000; i++) sum += Math.sqrt(i);
      return sum;
    });
    reader.close();
    expect(ofFiles).toBeGreaterThan(ofJavaScript + 0.25);
  });
});

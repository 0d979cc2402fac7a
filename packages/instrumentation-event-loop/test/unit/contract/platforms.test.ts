import { readdirSync, readlinkSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { holdStandardDescriptors } from '../../../src/contract/standard-descriptors.js';
import { openSchedstat, ownThreadId, ownThreadTimes } from '../../../src/contract/thread-times.js';
import { openPollState } from '../../../src/watchdog/scan/poll-state.js';

const original = Object.getOwnPropertyDescriptor(process, 'platform')!;

describe.each(['darwin', 'win32'] as const)('On %s', (platform) => {
  beforeEach(() => {
    Object.defineProperty(process, 'platform', { ...original, value: platform });
  });

  afterEach(() => {
    Object.defineProperty(process, 'platform', original);
  });

  test('the times of a thread come from Node.js, without the time that it waited for a CPU', () => {
    expect(openSchedstat('thread-self')).toBeUndefined();
    const reader = ownThreadTimes();
    const times = reader.read();
    reader.close();
    expect(times?.runQueueMs).toBeUndefined();
    expect(typeof times?.cpuMs).toBe('threadCpuUsage' in process ? 'number' : 'undefined');
  });

  test('a thread has no id of the system, and whether it polls is not seen', () => {
    expect(ownThreadId()).toBe(0);
    const reader = openPollState(process.pid);
    expect(reader.read()).toBe('unseen');
    reader.close();
  });

  test('holding the standard descriptors leaves no descriptor open', () => {
    const before = openFiles();
    holdStandardDescriptors()();
    expect(openFiles()).toEqual(before);
  });
});

/** What the descriptors of this process are, where the system shows it. */
function openFiles(): string[] {
  try {
    return readdirSync('/proc/self/fd').flatMap((name) => {
      try {
        return [`${name} ${readlinkSync(`/proc/self/fd/${name}`)}`];
      } catch {
        return []; // the descriptor of this very listing
      }
    });
  } catch {
    return [];
  }
}

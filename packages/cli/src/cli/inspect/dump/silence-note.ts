import { type SilentState, silentState } from '@loopwatch/instrumentation-event-loop/internal';

import { isShortOfCpu } from '../../../model/processes/dump.js';
import { commandOf, type ProcessInfo } from '../process/processes.js';

/** What the kernel shows of a main thread that does not answer; undefined where it shows nothing. */
export interface Silence {
  readonly cpuShare: number | undefined;
  readonly isReady: boolean | undefined;
  readonly children: readonly ProcessInfo[];
}

const STATE_TEXT: Readonly<Record<SilentState, string>> = {
  computing: 'uses the CPU',
  asleep: 'sleeps in the kernel',
  queued: 'uses the CPU as far as it gets one',
  unknown: 'uses the CPU as far as it gets one',
};

export function silenceNote({ cpuShare, isReady, children }: Silence): string {
  const isAsleep = isReady === undefined ? undefined : !isReady;
  const state = silentState({ elapsedMs: 1, cpuMs: cpuShare, runQueueMs: undefined, isAsleep });
  const isUnknown = isReady === undefined && state === 'unknown';
  const does = isUnknown ? 'the kernel does not say what it does' : STATE_TEXT[state];
  const reason = isShortOfCpu({ state: 'no_answer', cpuShare, isReady })
    ? 'gets too little of a CPU to answer, or is inside'
    : 'is inside';
  // A thread that computes waits for no process, and nothing waits for one that has ended.
  const running = state === 'asleep' || isUnknown ? children.filter((child) => child.state !== 'Z') : [];
  const names = running.map((child) => `${child.pid} (${commandOf(child)})`);
  return (
    `The main thread does not answer: it ${reason} a call that V8 cannot interrupt, and ${does}.` +
    (names.length > 0 ? ` It may wait for its child process ${names.join(', ')}, as in execSync.` : '')
  );
}

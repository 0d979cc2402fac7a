/** A way to hang of `fixtures/hang-program.cjs`, and what its last report has to say. */
export interface HangKind {
  readonly way: string;
  readonly label: string;
  /** Without one, V8 cannot be asked: the report has no function, and no request. */
  readonly culprit?: string;
  /** Absent: half of it is native calls, more or less. */
  readonly cause?: 'javascript' | 'native' | 'gc' | 'waiting';
  /** The thread waits for a child process, which the report names. */
  readonly hasChild?: boolean;
  /** Reports to wait for. Default: 2. */
  readonly reports?: number;
}

export const hangKinds: readonly HangKind[] = [
  { way: 'loop', label: 'endless loop', culprit: 'findParent', cause: 'javascript' },
  { way: 'regex', label: 'regular expression', culprit: 'validateComment', cause: 'native' },
  { way: 'recursion', label: 'recursion', culprit: 'countRoutes', cause: 'javascript' },
  { way: 'microtasks', label: 'awaits that never yield', culprit: 'drainQueueForever', cause: 'javascript' },
  { way: 'thenChain', label: 'promise chain', culprit: 'chainPromises', cause: 'javascript' },
  { way: 'nextTick', label: '`process.nextTick`', culprit: 'queueTicks', cause: 'javascript' },
  { way: 'wait', label: '`Atomics.wait`', culprit: 'waitForLock', cause: 'waiting' },
  { way: 'generator', label: 'generator', culprit: 'pumpValues', cause: 'javascript' },
  { way: 'sort', label: 'sort', culprit: 'sortScores', cause: 'javascript' },
  { way: 'json', label: '`JSON.stringify` of one order after the other', culprit: 'exportOrders' },
  { way: 'forAwait', label: '`for await` over values that are there', culprit: 'readEverything', cause: 'javascript' },
  { way: 'collections', label: 'collections', culprit: 'fillCache', cause: 'gc' },
  { way: 'stages', label: 'a second function', culprit: 'pollUntilReady', cause: 'javascript', reports: 3 },
  { way: 'native', label: 'native call that does not end', cause: 'native' },
  { way: 'execSync', label: '`execFileSync`', cause: 'waiting', hasChild: true },
];

/** Change it whenever the layout changes: two versions of the package in one process then use separate registries. */
export const REGISTRY_KEY = 'loopwatch.registry.12';

export const SLOT_COUNT = 1024;
export const SUSPENSION_COUNT = 16;
export const NAME_BYTES = 32;
/** A trace id and a span id. */
export const HANG_ID_BYTES = 24;
export const MAILBOX_COUNT = 16;
export const MAILBOX_BYTES = 32_768;

/** Header fields, indices into `ints`. */
export const Header = {
  /** 0: no watchdog, 1: one is running. */
  watchdogState: 0,
  /** The watchdog sleeps on this field; `Atomics.notify` wakes it. */
  wake: 1,
  /** Number of suspensions written to the ring buffer so far. */
  suspensionCount: 2,
  /** Highest slot ever claimed plus one: the watchdog reads no slot beyond it. */
  slotLimit: 3,
  /** Inspector sessions that the watchdog has open. */
  openSessions: 4,
  /** 1 from the moment the process begins to exit: the watchdog then opens no session. */
  exiting: 5,
  /** State of the register preset's SDK: 0 undecided, 1 started by the main thread, 2 not started and never will be. */
  ownSdk: 6,
  /** 1 while the watchdog looks at the threads: it has started. */
  isWatching: 7,
  /** One of `Asking`: how blocked threads are asked. */
  asking: 8,
  /** 1 while a debugger may connect to the process: the watchdog then stops no thread. */
  isInspected: 9,
  length: 10,
} as const;

/** What the watchdog has found out about this V8, which is the same for all threads until the process ends. */
export const Asking = {
  /** By interrupts, as long as nothing else is known. */
  unknown: 0,
  /** A thread has answered from within JavaScript that was interrupted. */
  byInterrupt: 1,
  /** V8 evaluates nothing in an interrupt: a thread that is to answer is stopped. */
  byPause: 2,
  /** Neither has worked so far. */
  impossible: 3,
} as const;

/** Slot fields that are written with `Atomics`, indices relative to the slot. */
export const SlotInt = {
  /** 0: free, 1: being set up or torn down, 2: live. */
  state: 0,
  threadId: 1,
  /** The operating system's thread id; 0 when unknown. */
  osThreadId: 2,
  /** Number of threads that have claimed this slot so far. */
  generation: 3,
  nameLength: 4,
  /** One of `IdleMode`. */
  idleMode: 5,
  /** The descriptor with which the thread's loop polls, plus one; 0 while unknown, -1 where it cannot be read. */
  pollDescriptor: 6,
  /** One of `Sleep`: whether the thread sleeps in `Atomics.wait`. */
  sleep: 7,
  /** One of `Question`: how far a worker thread is with the watchdog's question. */
  question: 8,
  /** How often the watchdog has seen the thread on a CPU or ready to run in the current stall, and how often asleep. */
  runnableLooks: 9,
  sleepingLooks: 10,
  /** One of `Ending`: whether the thread is about to be terminated in a block. */
  ending: 11,
  /** How often the watchdog has seen the thread asleep in a lock, or waiting for memory: part of `sleepingLooks`. */
  lockedLooks: 12,
  /** Random arrivals of `BusySampler` that no answer of the thread has counted yet. */
  arrivals: 13,
  length: 14,
} as const;

/** Idle mode of a thread: while nothing else wakes its loop, the heartbeat slows down. */
export const IdleMode = {
  none: 0,
  /** The loop is idle, but the watchdog cannot tell yet whether the thread polls: the heartbeat keeps its interval. */
  wanted: 1,
  /** The last tick may be older than `suspectAfterMs`: the thread is late only if it does not poll either. */
  active: 2,
} as const;

/** States of a worker thread: whether it sleeps in `Atomics.wait`, and whether its end would lose a report. */
export const Sleep = {
  none: 0,
  /** It has a block that is not reported yet. */
  reporting: 1,
  asleep: 2,
} as const;

/** What a worker thread does with the watchdog's question. */
export const Question = {
  none: 0,
  /** The watchdog has asked; the thread answers when it next runs JavaScript. */
  asked: 1,
  /** The thread runs the probe. */
  answering: 2,
} as const;

/** What a worker thread does before it is terminated in a block. */
export const Ending = {
  none: 0,
  /** Its next answer to the watchdog reports the block so far. */
  wanted: 1,
  reported: 2,
  /** It is terminated, and not asked any more. */
  terminated: 3,
} as const;

/** Slot fields in ms, indices relative to the slot. Times are on the shared clock. */
export const SlotTime = {
  /** Last tick of the loop; 0 until the loop runs. */
  tickAt: 0,
  /** Age of the last tick from which the thread is suspected of being blocked. */
  suspectAfterMs: 1,
  sampleIntervalMs: 2,
  /** 0 turns hang reports and the gauge of stalled threads off. */
  hangAfterMs: 3,
  /** When the watchdog last asked for a sample. */
  requestedAt: 4,
  /** When that question had been sent; older than `requestedAt` until it is known. */
  sentAt: 5,
  /** The thread's run-queue time at `sentAt`; NaN where the system does not record it. */
  sentRunQueueMs: 6,
  /** When the watchdog last saw the thread polling; 0 if never. */
  polledAt: 7,
  /** When the watchdog first looked at the thread in the current stall; 0 if never. */
  looksSince: 8,
  /** Age of a block from which on its reports so far are due; 0: none are. */
  soFarAfterMs: 9,
  /** Share of the kernel in the thread's CPU time since `looksSince`; NaN while it is unknown. */
  systemShare: 10,
  /** How late the last heartbeat was. */
  lagMs: 11,
  /** Busy share of the loop in the last half to whole second, from 0 to 1; not a time. */
  busyShare: 12,
  /** How often the thread is asked at random at most, in a second for which it is busy; 0: never. */
  busySamplesPerSecond: 13,
  /** When the watchdog asked such a question, as `requestedAt`, `sentAt` and `sentRunQueueMs` of the others. */
  busyRequestedAt: 14,
  busySentAt: 15,
  busySentRunQueueMs: 16,
  /** When the watchdog last switched its debugger on in the thread, which does nothing else meanwhile. */
  debuggerFrom: 17,
  debuggerUntil: 18,
  /** How many arrivals of `SlotInt.arrivals` come in a second that the thread is busy: as many as `QuestionBudget` allows. */
  arrivalsPerSecond: 19,
  /** For how long the thread has worked on its last answer to such a question, ms. */
  busyAnswerMs: 20,
  length: 21,
} as const;

export const INT_COUNT = Header.length + SLOT_COUNT * SlotInt.length;
export const TIME_COUNT = SUSPENSION_COUNT * 2 + SLOT_COUNT * SlotTime.length;
export const TIMES_OFFSET = INT_COUNT * Int32Array.BYTES_PER_ELEMENT;
export const NAMES_OFFSET = TIMES_OFFSET + TIME_COUNT * Float64Array.BYTES_PER_ELEMENT;
export const HANG_IDS_OFFSET = NAMES_OFFSET + SLOT_COUNT * NAME_BYTES;
/** Where threads ask for the source of their frames: `MapMailboxes`. */
export const MAILBOXES_OFFSET = HANG_IDS_OFFSET + SLOT_COUNT * HANG_ID_BYTES;
export const MAILBOX_TEXTS_OFFSET = MAILBOXES_OFFSET + MAILBOX_COUNT * 4 * Int32Array.BYTES_PER_ELEMENT;
export const BYTE_LENGTH = MAILBOX_TEXTS_OFFSET + MAILBOX_COUNT * MAILBOX_BYTES;

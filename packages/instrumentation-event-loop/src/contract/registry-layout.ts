/** Bump it whenever the layout changes: two versions of the package then keep apart. */
export const REGISTRY_KEY = 'loopwatch.registry.1';

export const SLOT_COUNT = 1024;
export const SUSPENSION_COUNT = 16;
export const NAME_BYTES = 32;
/** A trace id and a span id. */
export const HANG_ID_BYTES = 24;

/** Header fields, indices into `ints`. */
export const Header = {
  /** 0: no watchdog, 1: one is running. */
  watchdogState: 0,
  /** The watchdog sleeps on it; notify to wake it. */
  wake: 1,
  /** Stretches written so far to the ring of gaps. */
  suspensionCount: 2,
  /** Highest slot ever claimed plus one: how far the watchdog has to look. */
  slotLimit: 3,
  /** Inspector sessions that the watchdog has open. */
  openSessions: 4,
  /** 1 from the moment the process begins to exit: no new session. */
  exiting: 5,
  /** Of the register preset: 0 undecided, 1 the main thread has started an SDK of its own, 2 it has not and will not. */
  ownSdk: 6,
  length: 8,
} as const;

/** Slot fields that are written with `Atomics`, indices relative to the slot. */
export const SlotInt = {
  /** 0: free, 1: being set up or torn down, 2: live. */
  state: 0,
  threadId: 1,
  /** The operating system's thread id; 0 when unknown. */
  osThreadId: 2,
  /** Counts the threads that have had this slot. */
  generation: 3,
  nameLength: 4,
  /** One of `IdleMode`. */
  idleMode: 5,
  /** The descriptor by which the thread's loop polls, plus one; 0 while the watchdog does not know it. */
  pollDescriptor: 6,
  length: 8,
} as const;

/** How a thread whose loop nobody turns sees to it that its heartbeat need not either. */
export const IdleMode = {
  none: 0,
  /** It would rest, if the watchdog could see that it polls. */
  wanted: 1,
  /** Its loop may not turn for longer than `suspectAfterMs`: it is late only when it does not poll. */
  active: 2,
} as const;

/** Slot fields in ms, indices relative to the slot. Times are on the shared clock. */
export const SlotTime = {
  /** Last turn of the loop; 0 until the loop runs. */
  tickAt: 0,
  /** A turn older than this is suspected of being blocked. */
  suspectAfterMs: 1,
  sampleIntervalMs: 2,
  /** 0: off. */
  hangAfterMs: 3,
  /** When the watchdog last asked for a sample. */
  requestedAt: 4,
  length: 8,
} as const;

export const INT_COUNT = Header.length + SLOT_COUNT * SlotInt.length;
export const TIME_COUNT = SUSPENSION_COUNT * 2 + SLOT_COUNT * SlotTime.length;
export const TIMES_OFFSET = INT_COUNT * Int32Array.BYTES_PER_ELEMENT;
export const NAMES_OFFSET = TIMES_OFFSET + TIME_COUNT * Float64Array.BYTES_PER_ELEMENT;
export const HANG_IDS_OFFSET = NAMES_OFFSET + SLOT_COUNT * NAME_BYTES;
export const BYTE_LENGTH = HANG_IDS_OFFSET + SLOT_COUNT * HANG_ID_BYTES;

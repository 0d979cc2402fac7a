/*
 * What a process keeps while `loopwatch` uses an inspector that `loopwatch` has opened: how many sessions use it, and the
 * timer that closes it. Without the count, one session would close the inspector while the next one asks.
 */

/** Holds `{ users, timer }`. It is there as long as the inspector is to be closed. */
const USE = `Symbol.for('loopwatch-inspector-use')`;
/** When the inspector closes if a `loopwatch` is killed, ms after the last one has come. */
const GUARD_MS = 10_000;
/** When it closes after the last session has left, ms. */
const CLOSE_MS = 300;

/*
 * Node.js asks for the inspector by an interrupt of V8 and by a wake-up of the event loop, which opens it, too. In a
 * process that was blocked, the first timer may run before that wake-up is taken. It is taken when the loop has polled
 * once more: in the next iteration, or where iterations are not counted, before an immediate. The inspector is closed by
 * a timer nevertheless: from an immediate, and from within an evaluation, this can crash the process.
 */
const LOAD = `const load = process.getBuiltinModule ?? require;
  const { close } = load('node:inspector');
  const { performance } = load('node:perf_hooks');
  const timers = load('node:timers');
  const isUnrefd = (timer) => {
    try { timer.unref(); } catch { return false; }
    const key = Object.getOwnPropertySymbols(timer).find(({ description }) => description === 'refed');
    return key === undefined || timer[key] === false;
  };
  const probe = timers.setTimeout(() => {}, 1);
  // Timers that the program has replaced, as a test with fake ones does, never run, and where it has replaced their
  // \`unref\`, they would keep it alive. Those of a socket do neither.
  const isReplaced = probe?._idleStart === undefined || !isUnrefd(probe);
  timers.clearTimeout(probe);
  const later = (ms, callback) => {
    if (!isReplaced) return timers.setTimeout(callback, ms).unref();
    const socket = new (load('node:net').Socket)();
    socket.setTimeout(ms);
    return socket.once('timeout', () => {
      socket.destroy();
      callback();
    });
  };
  const soon = isReplaced ? (callback) => later(1, callback) : timers.setImmediate;
  const cancel = (timer) => timer?.destroy ? timer.destroy() : timer?.close();
  const loopCount = () => performance.nodeTiming.uvMetricsInfo?.loopCount;
  const closeAfter = (ms, use) => {
    const startCount = loopCount();
    const closeNow = () => {
      if (globalThis[${USE}] === use) delete globalThis[${USE}];
      try { close(); } catch {}
    };
    const timer = later(ms, () => {
      if (loopCount() > startCount) return closeNow();
      soon(() => {
        // Otherwise another session has come.
        if (use.timer === timer) use.timer = later(1, closeNow);
      });
    });
    use.timer = timer;
  };`;

interface EnterOptions {
  /** Only an inspector that an earlier `loopwatch` has opened, and that is to be closed. */
  readonly onlyOpened: boolean;
}

/**
 * Counts a session in. The process closes its inspector after 10 s by itself, unless `leaveExpression` comes before.
 * True where the inspector is to be closed in the end, false where it was opened by another.
 */
export function enterExpression({ onlyOpened }: EnterOptions): string {
  return `(() => {
  ${LOAD}
  let use = globalThis[${USE}];
  if (!use) {
    if (${onlyOpened}) return false;
    use = { users: 0, timer: undefined };
    Object.defineProperty(globalThis, ${USE}, { value: use, configurable: true });
  }
  use.users++;
  cancel(use.timer);
  closeAfter(${GUARD_MS}, use);
  return true;
})()`;
}

/**
 * Counts a session out. The last one has the inspector closed when it has gone: from within an evaluation, the process
 * can crash. `onlyOpened` as for `enterExpression`.
 */
export function leaveExpression({ onlyOpened }: EnterOptions): string {
  return `(() => {
  ${LOAD}
  const use = globalThis[${USE}];
  if (!use && ${onlyOpened}) return;
  if (use && --use.users > 0) return;
  cancel(use?.timer);
  closeAfter(${CLOSE_MS}, use ?? {});
})()`;
}

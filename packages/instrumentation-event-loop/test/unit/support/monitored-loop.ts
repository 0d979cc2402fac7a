import { LoopMonitor } from '../../../src/detection/loop-monitor.js';
import type { LoopMonitorOptions } from '../../../src/detection/loop-observer.js';
import { Registry } from '../../../src/contract/registry.js';
import type { Slot } from '../../../src/contract/slots.js';
import type { ThreadTimes } from '../../../src/contract/model.js';
import { FakeTimers } from './fake-timers.js';
import { SimulatedLoop } from './simulated-loop.js';

/** A simulated loop with fake timers, its monitor, and a log of all that the monitor reports. */
export class MonitoredLoop {
  readonly loop = new SimulatedLoop();
  readonly timers = new FakeTimers();
  readonly slot: Slot = new Registry().claim(0, 'main')!;
  readonly log: unknown[][] = [];
  readonly options: LoopMonitorOptions;
  readonly monitor: LoopMonitor;
  isAppStarted = true;
  /** Makes the entry point evaluated; undefined while nothing waits for it. */
  endEvaluation: (() => void) | undefined;
  times: ThreadTimes | undefined;

  constructor() {
    this.options = {
      clock: this.loop,
      timers: this.timers.asRootTimers,
      slot: this.slot,
      readThreadTimes: () => this.times,
      isAppStarted: () => this.isAppStarted,
      whenEntryPointEvaluated: (callback) => {
        this.endEvaluation = callback;
        return () => (this.endEvaluation = undefined);
      },
      mayEnterIdleMode: () => false,
      observer: {
        onBeat: (periodStart) => this.log.push(['beat', periodStart]),
        onAppStarted: () => this.log.push(['started']),
        onBusyPeriod: (start, end, startUp) => this.log.push(['period', start, end, startUp]),
        onLag: (lagMs, intervalMs, at) => this.log.push(['lag', lagMs, intervalMs, at]),
        onError: (error) => this.log.push(['error', error]),
      },
    };
    this.monitor = new LoopMonitor(this.options);
  }

  /** The log entries of one kind. */
  readonly reported = (kind: string): unknown[][] =>
    this.log.filter(([what]) => what === kind).map(([, ...rest]) => rest);

  /** One iteration of the loop: timers, poll, check. */
  readonly iterate = ({ timersMs = 0, isBeatDue = true, idleMs = 0, pollMs = 0 } = {}): void => {
    this.loop.run(timersMs);
    if (isBeatDue) this.timers.runIntervals();
    this.loop.idle(idleMs);
    this.loop.run(pollMs);
    this.timers.runImmediates();
  };

  /** Starts the monitor, makes two iterations and empties the log. */
  readonly settle = (): void => {
    this.monitor.start(50); // beats every 25 ms
    if (this.isAppStarted) this.endEvaluation?.();
    this.iterate({ isBeatDue: false });
    this.iterate({ idleMs: 25 });
    this.log.length = 0;
  };
}

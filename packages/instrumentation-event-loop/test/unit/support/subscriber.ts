import type { Subscriber } from '../../../src/monitor/subscribers.js';

/** A subscriber that does nothing but what a test wants of it. */
export function subscriber(overrides: Partial<Subscriber>): Subscriber {
  return {
    blockedThresholdMs: 100,
    hangThresholdMs: 0,
    soFarThresholdMs: Infinity,
    sampleIntervalMs: 10,
    watchdog: true,
    countsStartUp: false,
    isWatchedToEnd: false,
    onStartUp: () => undefined,
    relay: () => undefined,
    threadPool: false,
    sourceMaps: false,
    busySamplesPerSecond: 0,
    onBusyWindow: () => undefined,
    onFlush: () => undefined,
    onPoolReadings: () => undefined,
    openRequests: () => undefined,
    onPoolStarvation: () => undefined,
    onRelayedBlock: () => undefined,
    liveness: undefined,
    livenessCulprit: () => undefined,
    onBlock: () => undefined,
    onLag: () => undefined,
    onProblem: (message) => {
      throw new Error(message);
    },
    hangReport: () => undefined,
    wantsHangNotices: () => false,
    onHang: () => undefined,
    hangDestination: () => undefined,
    ...overrides,
  };
}

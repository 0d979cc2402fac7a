/** A fleet of instrumented processes, as far as the number of its series depends on it. */
export interface Fleet {
  readonly processes: number;
  readonly services: number;
  /** Versions of a service within the time that a series stays active: 2 during a deployment. */
  readonly versions: number;
  /** Functions that have blocked in one process, at most 20 and `other`; and in all processes of a version. */
  readonly culpritsOfProcess: number;
  readonly culpritsOfVersion: number;
  /** Pairs of request and function for which the loop of one process is busy; at most 41. */
  readonly busySeriesOfProcess: number;
  /** Requests and functions in the pairs of all processes of a version. */
  readonly busyRequestsOfVersion: number;
  readonly busyFunctionsOfVersion: number;
  /** Names of server and consumer spans of a service, times their statuses. */
  readonly operations: number;
}

/** How the telemetry of a fleet is stored. */
export interface Storage {
  /** `cardinality.mode` of the Helm chart. */
  readonly mode: 'instance' | 'fleet';
  /** native: the processes send exponential histograms. */
  readonly histograms: 'classic' | 'native';
  /** Boundaries that remain of `event_loop.lag`, where histograms are classic. */
  readonly lagBoundaries: number;
}

export interface Cost {
  readonly ofProcesses: number;
  readonly ofServices: number;
  /** Series of recording rules. */
  readonly ofRules: number;
  /** Active series of Loopwatch; without `target_info`, `nodejs.*` and `v8js.*`. */
  readonly series: number;
  /** Samples a second: series of processes at their export interval, the others at theirs. */
  readonly samplesPerSecond: number;
}

/** A worst case: each process has one thread, and has blocked in all its culprits. */
export const typicalFleet = {
  versions: 2,
  culpritsOfProcess: 10,
  culpritsOfVersion: 20,
  busySeriesOfProcess: 20,
  busyRequestsOfVersion: 20,
  busyFunctionsOfVersion: 20,
  operations: 20,
} as const;

/** Boundaries of `event_loop.lag` and `event_loop.blocked.duration`, and of the span metrics for Jaeger. */
export const boundaries = { lag: 15, requests: 12 } as const;

const exportIntervalSeconds = 60;
const collectorIntervalSeconds = 15;
const ruleIntervalSeconds = 10;
const slowRuleIntervalSeconds = 30;
/**
 * p99 of the lag and blocked share of five minutes. Rules of what is seldom, as of lags above 1 s or of new culprits, have
 * no series otherwise.
 */
const rulesOfProcess = 2;
/**
 * Blocked seconds, of them the own ones, and blocks of ten minutes; seconds and blocks of the source that they come from;
 * blocks in all.
 */
const rulesOfCulprit = 6;

/* Of the groups that are evaluated every 30 s. */
/** Request and function with the most busy time. */
const busyRulesOfProcess = 2;
/** That it reports, when it was first seen, its lead, its threads. */
const slowRulesOfVersion = 4;
/** When it last blocked, its line and its place. */
const slowRulesOfCulprit = 3;
/** Utilisation, number of threads. */
const gauges = 2;
/** Share of busy threads of libuv's pool. */
const poolGauges = 1;

/** Active series of a fleet, and samples a second. */
export function costOf(fleet: Fleet, { mode, histograms, lagBoundaries }: Storage): Cost {
  const { processes, services, versions, culpritsOfProcess, culpritsOfVersion, operations } = fleet;
  const { busySeriesOfProcess, busyRequestsOfVersion, busyFunctionsOfVersion } = fleet;
  const seriesOf = (bounds: number): number => (histograms === 'native' ? 1 : classic(bounds));
  const requests = operations * (classic(boundaries.requests) + 1);
  // A native histogram and a counter of calls for each function, line and cause.
  const spans = 2;

  // The lag, and in the mode `instance` the wait for libuv's pool. In the mode `fleet`, a pool that is free has no series.
  const perProcess =
    mode === 'fleet'
      ? seriesOf(lagBoundaries) + classic(0) + 1 + gauges
      : seriesOf(boundaries.lag) * 2 +
        poolGauges +
        busySeriesOfProcess +
        culpritsOfProcess * (seriesOf(boundaries.lag) + 1 + spans) +
        gauges +
        1 +
        requests;
  const perService = mode === 'fleet' ? versions * culpritsOfVersion * spans + versions * requests : 0;
  const isFleet = mode === 'fleet';
  // That its processes name functions; in a fleet, seconds and blocks without a function.
  const rulesOfVersion = (isFleet ? 2 : 1) + culpritsOfVersion * rulesOfCulprit;
  const busyRulesOfVersion = isFleet ? 0 : 1 + busyRequestsOfVersion + busyFunctionsOfVersion;
  const slowOfVersion = slowRulesOfVersion + busyRulesOfVersion + culpritsOfVersion * slowRulesOfCulprit;

  const ofProcesses = processes * perProcess;
  const ofServices = services * perService;
  const ofFastRules = processes * rulesOfProcess + services * (1 + versions * rulesOfVersion);
  const ofSlowRules = processes * (isFleet ? 0 : busyRulesOfProcess) + services * versions * slowOfVersion;
  const ofRules = ofFastRules + ofSlowRules;
  return {
    ofProcesses,
    ofServices,
    ofRules,
    series: ofProcesses + ofServices + ofRules,
    samplesPerSecond: Math.round(
      ofProcesses / exportIntervalSeconds +
        ofServices / collectorIntervalSeconds +
        ofFastRules / ruleIntervalSeconds +
        ofSlowRules / slowRuleIntervalSeconds,
    ),
  };
}

/** A bucket for each boundary and one above, sum and count. */
function classic(bounds: number): number {
  return bounds + 3;
}

/** Rows of the table in docs/cardinality.md. */
export function costRows(): readonly (readonly string[])[] {
  const storages: readonly Storage[] = [
    { mode: 'instance', histograms: 'classic', lagBoundaries: boundaries.lag },
    { mode: 'instance', histograms: 'native', lagBoundaries: boundaries.lag },
    { mode: 'fleet', histograms: 'classic', lagBoundaries: 4 },
    { mode: 'fleet', histograms: 'native', lagBoundaries: boundaries.lag },
  ];
  return [10, 1000, 10_000].flatMap((processes) =>
    storages.map((storage) => {
      const services = Math.min(50, processes);
      const { series, samplesPerSecond } = costOf({ ...typicalFleet, processes, services }, storage);
      const kept =
        storage.mode === 'fleet' && storage.histograms === 'classic'
          ? 'classic, 4 boundaries of the lag'
          : storage.histograms;
      return [amount(processes), String(services), storage.mode, kept, amount(series), amount(samplesPerSecond)];
    }),
  );
}

function amount(value: number): string {
  return value.toLocaleString('en-US');
}

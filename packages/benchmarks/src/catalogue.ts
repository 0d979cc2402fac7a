/** A monitor of the event loop, as the benchmarks run it. Its program is `subjects/peers/<name>.cjs`. */
export interface Peer {
  readonly name: string;
  /** Name in the tables. */
  readonly label: string;
  /** The package whose version the report prints; absent for monitors that are not packages. */
  readonly packageName?: string;
  /** Whether it runs on the control's SDK: then its cost is also compared with that of the SDK alone. */
  readonly isOnSdk: boolean;
  /** Whether its reports of blocks can be judged: `dd-trace` sends them to its agent only. */
  readonly isJudged: boolean;
}

export const BASELINE = 'none';
export const CONTROL = 'sdk';

const plain = { isOnSdk: false, isJudged: true };

export const peers: readonly Peer[] = [
  { ...plain, name: BASELINE, label: 'none', isJudged: false },
  { ...plain, name: 'none-again', label: 'none, again: the noise', isJudged: false },
  { ...plain, name: CONTROL, label: 'OpenTelemetry SDK alone', isOnSdk: true, isJudged: false },
  { ...plain, name: 'loopwatch', label: '**Loopwatch**', isOnSdk: true },
  { ...plain, name: 'loopwatch-no-watchdog', label: '**Loopwatch**, `watchdog: false`', isOnSdk: true },
  {
    ...plain,
    name: 'loopwatch-no-busy-time',
    label: '**Loopwatch**, `busySamplesPerSecond: 0`',
    isOnSdk: true,
  },
  { ...plain, name: 'blocked', label: '`blocked`', packageName: 'blocked' },
  { ...plain, name: 'blocked-at', label: '`blocked-at`', packageName: 'blocked-at' },
  { ...plain, name: 'hook-before-after', label: 'async_hooks: before, after' },
  { ...plain, name: 'hook-all', label: 'async_hooks: init, before, after, destroy' },
  {
    name: 'runtime-node',
    label: '`instrumentation-runtime-node`',
    packageName: '@opentelemetry/instrumentation-runtime-node',
    isOnSdk: true,
    isJudged: true,
  },
  { ...plain, name: 'prom-client', label: '`prom-client` defaults', packageName: 'prom-client' },
  { ...plain, name: 'sentry-anr', label: 'Sentry `anrIntegration`', packageName: '@sentry/node' },
  {
    ...plain,
    name: 'sentry-native',
    label: 'Sentry `eventLoopBlockIntegration`',
    packageName: '@sentry/node-native',
  },
  { ...plain, name: 'dd-trace', label: '`dd-trace` metrics and profiler', packageName: 'dd-trace', isJudged: false },
  { ...plain, name: 'pyroscope', label: '`@pyroscope/nodejs`', packageName: '@pyroscope/nodejs', isJudged: false },
];

/** The control that the cost of a peer is compared with, besides the baseline. */
export function controlOf({ name, isOnSdk }: Peer): string | undefined {
  return isOnSdk && name !== CONTROL ? CONTROL : undefined;
}

export interface Server {
  readonly name: string;
  readonly label: string;
  /** Requests in one measured window: about a sixth of a second of CPU without a peer. */
  readonly requests: number;
  /** Requests of one batch in the part `paired`: some milliseconds of CPU. */
  readonly batchRequests: number;
}

export const servers: readonly Server[] = [
  { name: 'promises', label: 'Promise-heavy HTTP', requests: 1000, batchRequests: 16 },
  { name: 'graphql', label: 'GraphQL', requests: 200, batchRequests: 4 },
  { name: 'streams', label: 'Stream piping', requests: 70, batchRequests: 1 },
];

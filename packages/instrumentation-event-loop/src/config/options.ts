export const DEFAULT_BLOCKED_THRESHOLD_MS = 100;
export const DEFAULT_HANG_THRESHOLD_MS = 5000;
export const DEFAULT_SAMPLE_INTERVAL_MS = 10;
export const DEFAULT_SPANS_PER_MINUTE = 60;
export const DEFAULT_BUSY_SAMPLES_PER_SECOND = 5;
export const DEFAULT_LIVENESS_THRESHOLD_MS = 60_000;
export const DEFAULT_READINESS_THRESHOLD_MS = 1000;
export const DEFAULT_LIVENESS_HOST = '127.0.0.1';

/**
 * The heartbeat interval follows the threshold. Below this, the heartbeat would cost more than its findings are worth.
 */
export const MIN_BLOCKED_THRESHOLD_MS = 10;
const MIN_SAMPLE_INTERVAL_MS = 1;
/** The longest delay of a Node.js timer. */
const MAX_MS = 2 ** 31 - 1;
const MAX_PORT = 65_535;
/** The watchdog wakes for each question, and each costs the thread some tenths of a ms. */
const MAX_BUSY_SAMPLES_PER_SECOND = 1000;

export type NumberOption =
  | 'blockedThresholdMs'
  | 'hangThresholdMs'
  | 'sampleIntervalMs'
  | 'spansPerMinute'
  | 'busySamplesPerSecond'
  | 'livenessThresholdMs'
  | 'readinessThresholdMs'
  | 'livenessPort';
export type BooleanOption = 'watchdog' | 'captureStacks' | 'countStartUp' | 'threadPool' | 'sourceMaps';

export interface NumberRule {
  readonly env: string;
  readonly defaultValue: number;
  readonly min: number;
  /** @default MAX_MS */
  readonly max?: number;
  readonly isWhole?: true;
  readonly unit: string;
}

export const NUMBER_RULES: Readonly<Record<NumberOption, NumberRule>> = {
  blockedThresholdMs: {
    env: 'LOOPWATCH_BLOCKED_THRESHOLD_MS',
    defaultValue: DEFAULT_BLOCKED_THRESHOLD_MS,
    min: MIN_BLOCKED_THRESHOLD_MS,
    unit: ' ms',
  },
  hangThresholdMs: { env: 'LOOPWATCH_HANG_THRESHOLD_MS', defaultValue: DEFAULT_HANG_THRESHOLD_MS, min: 0, unit: ' ms' },
  sampleIntervalMs: {
    env: 'LOOPWATCH_SAMPLE_INTERVAL_MS',
    defaultValue: DEFAULT_SAMPLE_INTERVAL_MS,
    min: MIN_SAMPLE_INTERVAL_MS,
    unit: ' ms',
  },
  spansPerMinute: { env: 'LOOPWATCH_SPANS_PER_MINUTE', defaultValue: DEFAULT_SPANS_PER_MINUTE, min: 0, unit: '' },
  busySamplesPerSecond: {
    env: 'LOOPWATCH_BUSY_SAMPLES_PER_SECOND',
    defaultValue: DEFAULT_BUSY_SAMPLES_PER_SECOND,
    min: 0,
    max: MAX_BUSY_SAMPLES_PER_SECOND,
    unit: '',
  },
  livenessThresholdMs: {
    env: 'LOOPWATCH_LIVENESS_THRESHOLD_MS',
    defaultValue: DEFAULT_LIVENESS_THRESHOLD_MS,
    min: MIN_BLOCKED_THRESHOLD_MS,
    unit: ' ms',
  },
  readinessThresholdMs: {
    env: 'LOOPWATCH_READINESS_THRESHOLD_MS',
    defaultValue: DEFAULT_READINESS_THRESHOLD_MS,
    min: MIN_BLOCKED_THRESHOLD_MS,
    unit: ' ms',
  },
  livenessPort: { env: 'LOOPWATCH_LIVENESS_PORT', defaultValue: 0, min: 0, max: MAX_PORT, isWhole: true, unit: '' },
};

export const BOOLEAN_RULES: Readonly<Record<BooleanOption, { readonly env: string; readonly defaultValue: boolean }>> =
  {
    watchdog: { env: 'LOOPWATCH_WATCHDOG', defaultValue: true },
    captureStacks: { env: 'LOOPWATCH_CAPTURE_STACKS', defaultValue: true },
    countStartUp: { env: 'LOOPWATCH_COUNT_START_UP', defaultValue: false },
    threadPool: { env: 'LOOPWATCH_THREAD_POOL', defaultValue: true },
    sourceMaps: { env: 'LOOPWATCH_SOURCE_MAPS', defaultValue: true },
  };

export const OPTION_NAMES = [
  'enabled',
  ...Object.keys(NUMBER_RULES),
  ...Object.keys(BOOLEAN_RULES),
  'livenessHost',
  'hangExporter',
  'blockHook',
  'startUpHook',
];

/** The values of options from one source. */
export type Values = Partial<Record<NumberOption, number> & Record<BooleanOption, boolean>>;

/** Whether an option may have that value. */
export function isWithin(value: number, { min, max = MAX_MS, isWhole }: NumberRule): boolean {
  return value >= min && value <= max && (isWhole !== true || Number.isInteger(value));
}

/** The values that an option may have, for a message. */
export function rangeOf(rule: NumberRule): string {
  return `a ${rule.isWhole ? 'whole ' : ''}number from ${rule.min} to ${rule.max ?? MAX_MS}${unitOf(rule)}`;
}

export function unitOf({ unit }: NumberRule): string {
  return unit && ` of${unit}`;
}

/** A value of any type, for a message. */
export function format(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value.slice(0, 100));
  if (typeof value === 'object' && value !== null) return Array.isArray(value) ? 'an array' : 'an object';
  if (typeof value === 'function') return 'a function';
  return String(value);
}

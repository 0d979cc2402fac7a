import { diag } from '@opentelemetry/api';
import type { BlockHook, EventLoopInstrumentationConfig, HangExporterConfig, StartUpHook } from './types.js';

/** The options after environment variables and defaults are applied. */
export interface ResolvedConfig {
  readonly enabled: boolean;
  readonly blockedThresholdMs: number;
  readonly hangThresholdMs: number;
  readonly sampleIntervalMs: number;
  readonly watchdog: boolean;
  readonly spansPerMinute: number;
  readonly captureStacks: boolean;
  readonly countStartUp: boolean;
  /** 0: off. */
  readonly livenessPort: number;
  readonly livenessHost: string;
  readonly livenessThresholdMs: number;
  readonly hangExporter: HangExporterConfig | undefined;
  readonly blockHook: BlockHook | undefined;
  readonly startUpHook: StartUpHook | undefined;
}

export const DEFAULT_BLOCKED_THRESHOLD_MS = 100;
export const DEFAULT_HANG_THRESHOLD_MS = 5000;
export const DEFAULT_SAMPLE_INTERVAL_MS = 10;
export const DEFAULT_SPANS_PER_MINUTE = 60;
export const DEFAULT_LIVENESS_THRESHOLD_MS = 60_000;
export const DEFAULT_LIVENESS_HOST = '127.0.0.1';

/**
 * The heartbeat interval follows the threshold. Below this, the heartbeat would cost more than its findings are worth.
 */
const MIN_BLOCKED_THRESHOLD_MS = 10;
const MIN_SAMPLE_INTERVAL_MS = 1;
/** The longest delay of a Node.js timer. */
const MAX_MS = 2 ** 31 - 1;
const MAX_PORT = 65_535;
const ENV_LIVENESS_HOST = 'LOOPWATCH_LIVENESS_HOST';

type NumberOption =
  | 'blockedThresholdMs'
  | 'hangThresholdMs'
  | 'sampleIntervalMs'
  | 'spansPerMinute'
  | 'livenessThresholdMs'
  | 'livenessPort';
type BooleanOption = 'watchdog' | 'captureStacks' | 'countStartUp';

interface NumberRule {
  readonly env: string;
  readonly defaultValue: number;
  readonly min: number;
  /** @default MAX_MS */
  readonly max?: number;
  readonly isWhole?: true;
  readonly unit: string;
}

const NUMBER_RULES: Readonly<Record<NumberOption, NumberRule>> = {
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
  livenessThresholdMs: {
    env: 'LOOPWATCH_LIVENESS_THRESHOLD_MS',
    defaultValue: DEFAULT_LIVENESS_THRESHOLD_MS,
    min: MIN_BLOCKED_THRESHOLD_MS,
    unit: ' ms',
  },
  livenessPort: { env: 'LOOPWATCH_LIVENESS_PORT', defaultValue: 0, min: 0, max: MAX_PORT, isWhole: true, unit: '' },
};

const BOOLEAN_RULES: Readonly<Record<BooleanOption, { readonly env: string; readonly defaultValue: boolean }>> = {
  watchdog: { env: 'LOOPWATCH_WATCHDOG', defaultValue: true },
  captureStacks: { env: 'LOOPWATCH_CAPTURE_STACKS', defaultValue: true },
  countStartUp: { env: 'LOOPWATCH_COUNT_START_UP', defaultValue: false },
};

const OPTION_NAMES = [
  'enabled',
  ...Object.keys(NUMBER_RULES),
  ...Object.keys(BOOLEAN_RULES),
  'livenessHost',
  'hangExporter',
  'blockHook',
  'startUpHook',
];

/**
 * Resolves each option from the code, else from the environment, else by default. Throws a `TypeError` or `RangeError`
 * for an invalid value in code. For an invalid value in the environment it calls `warn`, and the default applies.
 */
export function resolveConfig(
  config: EventLoopInstrumentationConfig = {},
  env: Readonly<Record<string, string | undefined>> = process.env,
  warn: (message: string) => void = (message) => {
    diag.warn(message);
  },
): ResolvedConfig {
  if (typeof config !== 'object' || (config as unknown) === null) {
    throw new TypeError(`Expected the options of EventLoopInstrumentation as an object, got ${format(config)}.`);
  }
  const unknown = Object.keys(config).find((key) => !OPTION_NAMES.includes(key));
  if (unknown !== undefined) {
    throw new TypeError(
      `Expected only the options ${OPTION_NAMES.join(', ')}, got ${format(unknown)}. Correct or remove it.`,
    );
  }
  const fromCode = checkCode(config);
  const fromEnv = readEnvironment(env, warn);
  const watchdog = fromCode.watchdog ?? fromEnv.watchdog ?? BOOLEAN_RULES.watchdog.defaultValue;
  return {
    enabled: config.enabled ?? true,
    ...resolveDurations(fromCode, fromEnv, warn),
    spansPerMinute: fromCode.spansPerMinute ?? fromEnv.spansPerMinute ?? DEFAULT_SPANS_PER_MINUTE,
    watchdog,
    livenessPort: resolveLivenessPort(fromCode, fromEnv, watchdog, warn),
    livenessHost: config.livenessHost ?? hostIn(env) ?? DEFAULT_LIVENESS_HOST,
    captureStacks: fromCode.captureStacks ?? fromEnv.captureStacks ?? BOOLEAN_RULES.captureStacks.defaultValue,
    countStartUp: fromCode.countStartUp ?? fromEnv.countStartUp ?? BOOLEAN_RULES.countStartUp.defaultValue,
    hangExporter: config.hangExporter,
    blockHook: config.blockHook,
    startUpHook: config.startUpHook,
  };
}

type Values = Partial<Record<NumberOption, number> & Record<BooleanOption, boolean>>;
type Duration = 'blockedThresholdMs' | 'sampleIntervalMs' | 'hangThresholdMs' | 'livenessThresholdMs';
type Durations = Record<Duration, number>;

/**
 * Resolves the durations, which must not conflict with each other. A conflict in code is an error. A value in the
 * environment that conflicts with those accepted before it is ignored with a warning.
 */
function resolveDurations(fromCode: Values, fromEnv: Values, warn: (message: string) => void): Durations {
  let accepted: Values = fromCode;
  let durations = withDefaults(accepted);
  const error = conflictIn(durations);
  if (error !== undefined) throw new RangeError(error);
  for (const key of ['blockedThresholdMs', 'sampleIntervalMs', 'hangThresholdMs', 'livenessThresholdMs'] as const) {
    const value = fromEnv[key];
    if (value === undefined || fromCode[key] !== undefined) continue;
    const next = { ...accepted, [key]: value };
    const conflict = conflictIn(withDefaults(next));
    if (conflict === undefined) {
      accepted = next;
      durations = withDefaults(accepted);
    } else warn(`${NUMBER_RULES[key].env} is not used. ${conflict}`);
  }
  return durations;
}

/** A block threshold above a default of the later thresholds is legitimate: it raises that default. */
function withDefaults(values: Values): Durations {
  const blockedThresholdMs = values.blockedThresholdMs ?? DEFAULT_BLOCKED_THRESHOLD_MS;
  return {
    blockedThresholdMs,
    sampleIntervalMs: values.sampleIntervalMs ?? DEFAULT_SAMPLE_INTERVAL_MS,
    hangThresholdMs: values.hangThresholdMs ?? Math.max(DEFAULT_HANG_THRESHOLD_MS, blockedThresholdMs),
    livenessThresholdMs: values.livenessThresholdMs ?? Math.max(DEFAULT_LIVENESS_THRESHOLD_MS, blockedThresholdMs),
  };
}

/** Only the watchdog thread can answer, so without a watchdog the port is 0. */
function resolveLivenessPort(
  fromCode: Values,
  fromEnv: Values,
  watchdog: boolean,
  warn: (message: string) => void,
): number {
  const port = fromCode.livenessPort ?? fromEnv.livenessPort ?? 0;
  if (port === 0 || watchdog) return port;
  const conflict =
    `Expected watchdog to be true with livenessPort ${port}, got false. Remove one of the two: only the watchdog ` +
    'thread can answer.';
  if (fromCode.livenessPort !== undefined && fromCode.watchdog !== undefined) throw new RangeError(conflict);
  warn(conflict);
  return 0;
}

function hostIn(env: Readonly<Record<string, string | undefined>>): string | undefined {
  const host = env[ENV_LIVENESS_HOST]?.trim();
  return host === '' ? undefined : host;
}

function conflictIn({
  blockedThresholdMs,
  sampleIntervalMs,
  hangThresholdMs,
  livenessThresholdMs,
}: Durations): string | undefined {
  if (blockedThresholdMs < sampleIntervalMs) {
    return (
      `Expected blockedThresholdMs to be at least sampleIntervalMs, got ${blockedThresholdMs} ms and ` +
      `${sampleIntervalMs} ms. Raise blockedThresholdMs or lower sampleIntervalMs.`
    );
  }
  if (hangThresholdMs !== 0 && hangThresholdMs < blockedThresholdMs) {
    return (
      `Expected hangThresholdMs to be 0 (off) or at least blockedThresholdMs, got ${hangThresholdMs} ms and ` +
      `${blockedThresholdMs} ms. Raise hangThresholdMs or lower blockedThresholdMs.`
    );
  }
  if (livenessThresholdMs < blockedThresholdMs) {
    return (
      `Expected livenessThresholdMs to be at least blockedThresholdMs, got ${livenessThresholdMs} ms and ` +
      `${blockedThresholdMs} ms. Raise livenessThresholdMs or lower blockedThresholdMs.`
    );
  }
  return undefined;
}

function checkCode(config: EventLoopInstrumentationConfig): Values {
  const values: Values = {};
  for (const [key, rule] of Object.entries(NUMBER_RULES) as [NumberOption, NumberRule][]) {
    const value: unknown = config[key];
    if (value === undefined) continue;
    if (typeof value !== 'number' || Number.isNaN(value)) {
      throw new TypeError(`Expected ${key} as a number${unitOf(rule)}, got ${format(value)}. Set ${rangeOf(rule)}.`);
    }
    if (!isWithin(value, rule)) {
      throw new RangeError(`Expected ${key} to be ${rangeOf(rule)}, got ${value}.`);
    }
    values[key] = value;
  }
  for (const key of [...(Object.keys(BOOLEAN_RULES) as BooleanOption[]), 'enabled' as const]) {
    const value: unknown = config[key];
    if (value === undefined) continue;
    if (typeof value !== 'boolean') throw new TypeError(`Expected ${key} to be true or false, got ${format(value)}.`);
    if (key !== 'enabled') values[key] = value;
  }
  const hook: unknown = config.blockHook;
  if (hook !== undefined && typeof hook !== 'function') {
    throw new TypeError(`Expected blockHook as a function (span, block) => void, got ${format(hook)}.`);
  }
  const startUpHook: unknown = config.startUpHook;
  if (startUpHook !== undefined && typeof startUpHook !== 'function') {
    throw new TypeError(`Expected startUpHook as a function (startUp) => void, got ${format(startUpHook)}.`);
  }
  const host: unknown = config.livenessHost;
  if (host !== undefined && (typeof host !== 'string' || host.trim() === '')) {
    throw new TypeError(`Expected livenessHost as an address such as ${DEFAULT_LIVENESS_HOST}, got ${format(host)}.`);
  }
  checkHangExporter(config.hangExporter);
  return values;
}

function checkHangExporter(exporter: unknown): void {
  if (exporter === undefined) return;
  const { url, headers } = (exporter ?? {}) as { url?: unknown; headers?: unknown };
  const protocol = typeof url === 'string' && URL.canParse(url) ? new URL(url).protocol : undefined;
  if (protocol !== 'http:' && protocol !== 'https:') {
    throw new TypeError(`Expected hangExporter.url as an http or https URL of an OTLP receiver, got ${format(url)}.`);
  }
  if (headers === undefined) return;
  const isRecord = typeof headers === 'object' && headers !== null && !Array.isArray(headers);
  if (!isRecord || Object.values(headers).some((value) => typeof value !== 'string')) {
    throw new TypeError(`Expected hangExporter.headers as an object of strings, got ${format(headers)}.`);
  }
}

function readEnvironment(env: Readonly<Record<string, string | undefined>>, warn: (message: string) => void): Values {
  const values: Values = {};
  for (const [key, rule] of Object.entries(NUMBER_RULES) as [NumberOption, NumberRule][]) {
    const text = env[rule.env]?.trim();
    if (text === undefined || text === '') continue;
    const value = Number(text);
    if (isWithin(value, rule)) values[key] = value;
    else
      warn(
        `Expected ${rule.env} to be ${rangeOf(rule)}, got ${format(text)}. The default, ${rule.defaultValue}, applies.`,
      );
  }
  for (const [key, rule] of Object.entries(BOOLEAN_RULES) as [BooleanOption, (typeof BOOLEAN_RULES)[BooleanOption]][]) {
    const text = env[rule.env]?.trim().toLowerCase();
    if (text === undefined || text === '') continue;
    if (text === 'true' || text === 'false') values[key] = text === 'true';
    else
      warn(
        `Expected ${rule.env} to be true or false, got ${format(text)}. The default, ${rule.defaultValue}, applies.`,
      );
  }
  return values;
}

function isWithin(value: number, { min, max = MAX_MS, isWhole }: NumberRule): boolean {
  return value >= min && value <= max && (isWhole !== true || Number.isInteger(value));
}

function rangeOf(rule: NumberRule): string {
  return `a ${rule.isWhole ? 'whole ' : ''}number from ${rule.min} to ${rule.max ?? MAX_MS}${unitOf(rule)}`;
}

function unitOf({ unit }: NumberRule): string {
  return unit && ` of${unit}`;
}

function format(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value.slice(0, 100));
  if (typeof value === 'object' && value !== null) return Array.isArray(value) ? 'an array' : 'an object';
  if (typeof value === 'function') return 'a function';
  return String(value);
}

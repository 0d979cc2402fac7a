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
  readonly hangExporter: HangExporterConfig | undefined;
  readonly blockHook: BlockHook | undefined;
  readonly startUpHook: StartUpHook | undefined;
}

export const DEFAULT_BLOCKED_THRESHOLD_MS = 100;
export const DEFAULT_HANG_THRESHOLD_MS = 5000;
export const DEFAULT_SAMPLE_INTERVAL_MS = 10;
export const DEFAULT_SPANS_PER_MINUTE = 60;

/**
 * The heartbeat interval follows the threshold. Below this, the heartbeat would cost more than its findings are worth.
 */
const MIN_BLOCKED_THRESHOLD_MS = 10;
const MIN_SAMPLE_INTERVAL_MS = 1;
/** The longest delay of a Node.js timer. */
const MAX_MS = 2 ** 31 - 1;

type NumberOption = 'blockedThresholdMs' | 'hangThresholdMs' | 'sampleIntervalMs' | 'spansPerMinute';
type BooleanOption = 'watchdog' | 'captureStacks' | 'countStartUp';

interface NumberRule {
  readonly env: string;
  readonly defaultValue: number;
  readonly min: number;
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
  return {
    enabled: config.enabled ?? true,
    ...resolveDurations(fromCode, fromEnv, warn),
    spansPerMinute: fromCode.spansPerMinute ?? fromEnv.spansPerMinute ?? DEFAULT_SPANS_PER_MINUTE,
    watchdog: fromCode.watchdog ?? fromEnv.watchdog ?? BOOLEAN_RULES.watchdog.defaultValue,
    captureStacks: fromCode.captureStacks ?? fromEnv.captureStacks ?? BOOLEAN_RULES.captureStacks.defaultValue,
    countStartUp: fromCode.countStartUp ?? fromEnv.countStartUp ?? BOOLEAN_RULES.countStartUp.defaultValue,
    hangExporter: config.hangExporter,
    blockHook: config.blockHook,
    startUpHook: config.startUpHook,
  };
}

type Values = Partial<Record<NumberOption, number> & Record<BooleanOption, boolean>>;
type Duration = 'blockedThresholdMs' | 'sampleIntervalMs' | 'hangThresholdMs';
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
  for (const key of ['blockedThresholdMs', 'sampleIntervalMs', 'hangThresholdMs'] as const) {
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

/** A block threshold above the default hang threshold is legitimate: it raises that default instead of conflicting. */
function withDefaults(values: Values): Durations {
  const blockedThresholdMs = values.blockedThresholdMs ?? DEFAULT_BLOCKED_THRESHOLD_MS;
  return {
    blockedThresholdMs,
    sampleIntervalMs: values.sampleIntervalMs ?? DEFAULT_SAMPLE_INTERVAL_MS,
    hangThresholdMs: values.hangThresholdMs ?? Math.max(DEFAULT_HANG_THRESHOLD_MS, blockedThresholdMs),
  };
}

function conflictIn({ blockedThresholdMs, sampleIntervalMs, hangThresholdMs }: Durations): string | undefined {
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

function isWithin(value: number, { min }: NumberRule): boolean {
  return value >= min && value <= MAX_MS;
}

function rangeOf(rule: NumberRule): string {
  return `a number from ${rule.min} to ${MAX_MS}${unitOf(rule)}`;
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

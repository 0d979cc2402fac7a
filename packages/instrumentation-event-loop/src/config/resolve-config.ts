import type { BlockHook, EventLoopInstrumentationConfig, HangExporterConfig, StartUpHook } from '../types.js';
import { checkOptions } from './check-options.js';
import { camelCase, readDeclarativeConfig, snakeCase, type DeclarativeConfig } from './declarative-config.js';
import { resolveDurations, type Duration } from './durations.js';
import { livenessHostIn, readEnvironment } from './environment.js';
import {
  BOOLEAN_RULES,
  DEFAULT_BUSY_SAMPLES_PER_SECOND,
  DEFAULT_LIVENESS_HOST,
  DEFAULT_SPANS_PER_MINUTE,
  format,
  NUMBER_RULES,
  OPTION_NAMES,
  type Values,
} from './options.js';

/** The options after environment variables and defaults are applied. */
export interface ResolvedConfig {
  readonly enabled: boolean;
  readonly blockedThresholdMs: number;
  readonly hangThresholdMs: number;
  readonly sampleIntervalMs: number;
  readonly watchdog: boolean;
  readonly spansPerMinute: number;
  readonly busySamplesPerSecond: number;
  readonly captureStacks: boolean;
  readonly countStartUp: boolean;
  readonly threadPool: boolean;
  readonly sourceMaps: boolean;
  /** 0: off. */
  readonly livenessPort: number;
  readonly livenessHost: string;
  readonly livenessThresholdMs: number;
  readonly readinessThresholdMs: number;
  readonly hangExporter: HangExporterConfig | undefined;
  /** Where the SDK of the configuration file sends to, as variables of OpenTelemetry; they win over the environment. */
  readonly exporterVariables: Readonly<Record<string, string>>;
  readonly blockHook: BlockHook | undefined;
  readonly startUpHook: StartUpHook | undefined;
}

/** A configuration file contains no functions. */
const FILE_OPTION_NAMES = OPTION_NAMES.filter((name) => !name.endsWith('Hook'));

/**
 * Resolves each option from the code, else from the configuration file, else from the environment, else by default.
 * Throws a `TypeError` or `RangeError` for an invalid value in code. For an invalid value in the file or the environment
 * it calls `warn`, and the value is not used.
 */
export function resolveConfig(
  config: EventLoopInstrumentationConfig,
  env: Readonly<Record<string, string | undefined>>,
  warn: (message: string) => void,
  file: DeclarativeConfig = readDeclarativeConfig(env, warn),
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
  const fromCode = checkOptions(config);
  const declared = acceptedOptions(file, warn);
  const fromFile = checkOptions(declared);
  const fromEnv = { ...readEnvironment(env, warn), ...fromFile };
  const sourceOf = (key: Duration): string =>
    fromFile[key] === undefined ? NUMBER_RULES[key].env : `${snakeCase(key)} in OTEL_CONFIG_FILE`;
  const watchdog = fromCode.watchdog ?? fromEnv.watchdog ?? BOOLEAN_RULES.watchdog.defaultValue;
  return {
    enabled: !file.isSdkDisabled && (config.enabled ?? declared.enabled ?? true),
    ...resolveDurations(fromCode, fromEnv, sourceOf, warn),
    spansPerMinute: fromCode.spansPerMinute ?? fromEnv.spansPerMinute ?? DEFAULT_SPANS_PER_MINUTE,
    busySamplesPerSecond:
      fromCode.busySamplesPerSecond ?? fromEnv.busySamplesPerSecond ?? DEFAULT_BUSY_SAMPLES_PER_SECOND,
    watchdog,
    livenessPort: resolveLivenessPort(fromCode, fromEnv, watchdog, warn),
    livenessHost: config.livenessHost ?? declared.livenessHost ?? livenessHostIn(env) ?? DEFAULT_LIVENESS_HOST,
    captureStacks: fromCode.captureStacks ?? fromEnv.captureStacks ?? BOOLEAN_RULES.captureStacks.defaultValue,
    countStartUp: fromCode.countStartUp ?? fromEnv.countStartUp ?? BOOLEAN_RULES.countStartUp.defaultValue,
    threadPool: fromCode.threadPool ?? fromEnv.threadPool ?? BOOLEAN_RULES.threadPool.defaultValue,
    sourceMaps: fromCode.sourceMaps ?? fromEnv.sourceMaps ?? BOOLEAN_RULES.sourceMaps.defaultValue,
    hangExporter: config.hangExporter ?? declared.hangExporter,
    exporterVariables: file.exporterVariables,
    blockHook: config.blockHook,
    startUpHook: config.startUpHook,
  };
}

/** The options of the file. Invalid ones are left out with a warning. */
function acceptedOptions({ node }: DeclarativeConfig, warn: (message: string) => void): EventLoopInstrumentationConfig {
  const accepted: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(node)) {
    const name = camelCase(key);
    if (!FILE_OPTION_NAMES.includes(name) || snakeCase(name) !== key) {
      const known = FILE_OPTION_NAMES.map(snakeCase).join(', ');
      warn(`Expected only the keys ${known} in OTEL_CONFIG_FILE, got ${format(key)}. It is not used.`);
    } else if (value !== null) {
      try {
        checkOptions({ [name]: value });
        accepted[name] = value;
      } catch (error) {
        warn(`${key} in OTEL_CONFIG_FILE is not used. ${error instanceof Error ? error.message : String(error)}`);
      }
    }
  }
  return accepted;
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

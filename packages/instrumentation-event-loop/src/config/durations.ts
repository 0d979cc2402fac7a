import {
  DEFAULT_BLOCKED_THRESHOLD_MS,
  DEFAULT_HANG_THRESHOLD_MS,
  DEFAULT_LIVENESS_THRESHOLD_MS,
  DEFAULT_READINESS_THRESHOLD_MS,
  DEFAULT_SAMPLE_INTERVAL_MS,
  type Values,
} from './options.js';

const DURATIONS = [
  'blockedThresholdMs',
  'sampleIntervalMs',
  'hangThresholdMs',
  'livenessThresholdMs',
  'readinessThresholdMs',
] as const;
export type Duration = (typeof DURATIONS)[number];
type Durations = Record<Duration, number>;

/**
 * Resolves the durations, which must not conflict with each other. Where all of them fit together, all are used. Otherwise a
 * conflict in code is an error, and a value in the file or the environment that conflicts with those accepted before it is
 * ignored with a warning.
 */
export function resolveDurations(
  fromCode: Values,
  fromEnv: Values,
  sourceOf: (key: Duration) => string,
  warn: (message: string) => void,
): Durations {
  const together = withDefaults(withFallback(fromCode, fromEnv));
  if (conflictIn(together) === undefined) return together;
  let accepted: Values = fromCode;
  let durations = withDefaults(accepted);
  const error = conflictIn(durations);
  if (error !== undefined) throw new RangeError(error);
  for (const key of DURATIONS) {
    const value = fromEnv[key];
    if (value === undefined || fromCode[key] !== undefined) continue;
    const next = { ...accepted, [key]: value };
    const conflict = conflictIn(withDefaults(next));
    if (conflict === undefined) {
      accepted = next;
      durations = withDefaults(accepted);
    } else warn(`${sourceOf(key)} is not used. ${conflict}`);
  }
  return durations;
}

/** The durations in code, where there are any, and else the others. */
function withFallback(fromCode: Values, others: Values): Values {
  return Object.fromEntries(DURATIONS.map((key) => [key, fromCode[key] ?? others[key]]));
}

/** A block threshold above a default of the later thresholds is legitimate: it raises that default. */
function withDefaults(values: Values): Durations {
  const blockedThresholdMs = values.blockedThresholdMs ?? DEFAULT_BLOCKED_THRESHOLD_MS;
  return {
    blockedThresholdMs,
    sampleIntervalMs: values.sampleIntervalMs ?? DEFAULT_SAMPLE_INTERVAL_MS,
    hangThresholdMs: values.hangThresholdMs ?? Math.max(DEFAULT_HANG_THRESHOLD_MS, blockedThresholdMs),
    livenessThresholdMs: values.livenessThresholdMs ?? Math.max(DEFAULT_LIVENESS_THRESHOLD_MS, blockedThresholdMs),
    readinessThresholdMs: values.readinessThresholdMs ?? Math.max(DEFAULT_READINESS_THRESHOLD_MS, blockedThresholdMs),
  };
}

function conflictIn({
  blockedThresholdMs,
  sampleIntervalMs,
  hangThresholdMs,
  livenessThresholdMs,
  readinessThresholdMs,
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
  for (const [name, thresholdMs] of Object.entries({ livenessThresholdMs, readinessThresholdMs })) {
    if (thresholdMs >= blockedThresholdMs) continue;
    return (
      `Expected ${name} to be at least blockedThresholdMs, got ${thresholdMs} ms and ${blockedThresholdMs} ms. ` +
      `Raise ${name} or lower blockedThresholdMs.`
    );
  }
  return undefined;
}

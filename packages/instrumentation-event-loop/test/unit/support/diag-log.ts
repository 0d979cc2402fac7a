import { diag, DiagLogLevel } from '@opentelemetry/api';

/** Has errors and warnings of `diag` written to `log`, until `diag.disable()`. */
export function logTo(log: (message: string, ...values: unknown[]) => void): void {
  const levels = { error: log, warn: log, info: () => undefined, debug: () => undefined, verbose: () => undefined };
  diag.setLogger(levels, { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true });
}

import type { DiagLogger } from '@opentelemetry/api';
import { registered } from '../contract/registered-api.js';
import { shared } from './shared-thread.js';

/** Warnings that are kept at most until there is a logger. */
const MAX_KEPT = 32;

/**
 * Warns by `diag`. Without a logger, which `NodeSDK` sets after its instrumentations have been constructed, the warning is
 * kept for `releaseWarnings`.
 */
export function warn(message: string): void {
  const logger = registeredLogger();
  if (logger) {
    logger.warn(message);
    return;
  }
  const kept = (shared.warnings ??= []);
  if (kept.length < MAX_KEPT) kept[kept.length] = message;
}

/** Warns of what was kept, as soon as there is a logger. Called where an SDK has started. */
export function releaseWarnings(): void {
  const { warnings } = shared;
  const logger = registeredLogger();
  if (warnings === undefined || !logger) return;
  shared.warnings = undefined;
  for (let i = 0; i < warnings.length; i++) logger.warn(warnings[i]!);
}

function registeredLogger(): DiagLogger | undefined {
  return registered('diag') as DiagLogger | undefined;
}

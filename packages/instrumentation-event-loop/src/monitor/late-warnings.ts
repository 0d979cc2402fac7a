import { diag } from '@opentelemetry/api';
import { Reflect } from '../contract/built-ins.js';
import { shared } from './shared-thread.js';

/** Warnings that are kept at most until there is a logger. */
const MAX_KEPT = 32;
/** Where OpenTelemetry's API has what an application registers, among that its logger. */
const API = Symbol.for('opentelemetry.js.api.1');

/**
 * Warns by `diag`. Without a logger, which `NodeSDK` sets after its instrumentations have been constructed, the warning is
 * kept for `releaseWarnings`.
 */
export function warn(message: string): void {
  diag.warn(message);
  if (hasLogger()) return;
  const kept = (shared.warnings ??= []);
  if (kept.length < MAX_KEPT) kept[kept.length] = message;
}

/** Warns of what was kept, as soon as there is a logger. Called where an SDK has started. */
export function releaseWarnings(): void {
  const { warnings } = shared;
  if (warnings === undefined || !hasLogger()) return;
  shared.warnings = undefined;
  for (let i = 0; i < warnings.length; i++) diag.warn(warnings[i]!);
}

function hasLogger(): boolean {
  const registered = Reflect.get(globalThis, API) as { readonly diag?: unknown } | undefined;
  return registered?.diag !== undefined;
}

import * as incubating from '@opentelemetry/semantic-conventions/incubating';
import * as stable from '@opentelemetry/semantic-conventions';

import type { Stability } from './format.ts';

const stableNames = attributeNames(stable);
const allNames = attributeNames(incubating);

/** Stability of an attribute of OpenTelemetry's registry; undefined if that has none of this name. */
export function stabilityInOpenTelemetry(name: string): Stability | undefined {
  if (stableNames.has(name)) return 'stable';
  return allNames.has(name) ? 'development' : undefined;
}

function attributeNames(constants: Readonly<Record<string, unknown>>): ReadonlySet<unknown> {
  return new Set(Object.keys(constants).map((name) => (name.startsWith('ATTR_') ? constants[name] : undefined)));
}

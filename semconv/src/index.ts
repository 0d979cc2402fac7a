import { readGroups } from './read-registry.ts';
import { resolve } from './resolve.ts';

export { prometheusLabel, prometheusMetric } from './prometheus.ts';

/** Every span, attribute and metric, from the files in `registry/`. */
export const conventions = resolve(readGroups());

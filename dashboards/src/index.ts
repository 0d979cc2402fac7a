export { dashboards, runbookFile } from './links.ts';
export { costOf, typicalFleet } from './cardinality.ts';
export type { Fleet, Storage } from './cardinality.ts';
export { labels, metrics, records } from './names.ts';
export { newCulpritRuleFile, outputs } from './outputs.ts';
export { lostInQueue } from './promql.ts';
export { dashboardQueries, ruleQueries } from './queries.ts';
export type { Query } from './queries.ts';
export { thresholds } from './thresholds.ts';

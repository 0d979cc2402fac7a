export { dashboards, runbookFile } from './links.ts';
export { labels, metrics, records } from './names.ts';
export { outputs } from './outputs.ts';
export { dashboardQueries, ruleQueries } from './queries.ts';
export type { Query } from './queries.ts';
export { thresholds } from './thresholds.ts';

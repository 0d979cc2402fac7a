export { builtPackage } from './built-package.ts';
export {
  combinationPerMajor,
  combinations,
  defaultCombination,
  describeCombination,
  supportedCombinations,
} from './combinations.ts';
export type { Combination, SdkLine } from './combinations.ts';
export { consumerOf, consumerWith } from './consumer.ts';
export type { Consumer, Extras } from './consumer.ts';
export type { PackageManager } from './manifests.ts';
export { packageDirectory } from './places.ts';
export { programTree } from './program-tree.ts';
export type { ProgramTree } from './program-tree.ts';
export { runProgram } from './run-program.ts';
export type { RunOptions, RunResult } from './run-program.ts';
export { median, quantile } from './statistics.ts';
export { blockedSpans, durationMs, epochMs, histogram, readTelemetry } from './telemetry.ts';
export type { Attributes, HistogramValue, MetricRecord, SpanRecord, Telemetry, TruthRecord } from './telemetry.ts';

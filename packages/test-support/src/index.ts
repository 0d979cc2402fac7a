export { builtPackage } from './consumer/built-package.ts';
export { changesOf, documentedChanges } from './changes.ts';
export type { DocumentedChange, ProcessState, Way } from './changes.ts';
export {
  casesOn,
  combinationPerMajor,
  combinations,
  defaultCombination,
  describeCombination,
  isInnerTier,
  isInTier,
  judgedOn,
  majorsOfTier,
  ofTier,
  oldestAndNewest,
  sampledCombinations,
  sampledMajors,
  supportedCombinations,
} from './combinations.ts';
export type { Combination, SdkLine } from './combinations.ts';
export { choose } from './command-line.ts';
export { consumerOf, consumerWith } from './consumer/consumer.ts';
export type { Consumer, Extras } from './consumer/consumer.ts';
export { linkTree } from './consumer/link-tree.ts';
export { makeFolderOnce } from './consumer/make-folder-once.ts';
export type { PackageManager } from './consumer/manifests.ts';
export { cpuQuotas } from './cpu-quota.ts';
export type { CpuQuota, ThrottledGroup } from './cpu-quota.ts';
export { describeMachine } from './machine.ts';
export { cacheDirectory, kitDirectory, packageDirectory, pnpmCommand } from './paths.ts';
export { programTree } from './program/program-tree.ts';
export type { ProgramTree } from './program/program-tree.ts';
export { runProgram, wantedRate } from './program/run-program.ts';
export type { RunOptions, RunResult } from './program/run-program.ts';
export { median, medianInterval, quantile } from './statistics.ts';
export { blockedSpans, durationMs, epochMs, histogram, readTelemetry } from './program/telemetry.ts';
export type {
  Attributes,
  HistogramValue,
  MetricRecord,
  SpanRecord,
  Telemetry,
  TruthRecord,
} from './program/telemetry.ts';

import { labels } from '../names.ts';

/** The labels that a recorded series has, by the level in its name. */
export const levels = {
  thread: [labels.service, labels.instance, labels.threadName],
  thread_request: [labels.service, labels.instance, labels.threadName, labels.request],
  thread_function: [labels.service, labels.instance, labels.threadName, labels.function],
  service: [labels.service, labels.environment],
  version: [labels.service, labels.environment, labels.version],
  culprit: [labels.service, labels.environment, labels.version, labels.function],
  line: [labels.service, labels.version, labels.function, labels.file, labels.line],
  request: [labels.service, labels.environment, labels.version, labels.request],
  function: [labels.service, labels.environment, labels.version, labels.function],
} as const;

/** Clauses of PromQL. */
export const by = (names: readonly string[]): string => `by (${names.join(', ')})`;
export const on = (names: readonly string[]): string => `on (${names.join(', ')})`;

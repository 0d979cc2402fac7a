import {
  accepted,
  count,
  duration,
  flag,
  id,
  instanceId,
  timesByLine,
  name,
  names,
  oneOf,
  path,
  position,
  type Rule,
  type Rules,
  stack,
  time,
} from '../rules.js';
import { type Block, CAUSES, type CodeLocation, STACK_QUALITIES, type VictimSummary } from '../types.js';

const LOCATION: Rules<CodeLocation> = {
  functionName: name,
  // A script that was given by `--eval` has no path.
  filePath: (value) => (value === '' ? '' : path(value)),
  // Unknown is 0.
  lineNumber: (value) => position(value) ?? 0,
  columnNumber: (value) => position(value) ?? 0,
};

export const location: Rule<CodeLocation> = (value) =>
  accepted(value, LOCATION, ['functionName', 'filePath', 'lineNumber', 'columnNumber']);

const VICTIMS: Rules<VictimSummary> = {
  nameCount: count,
  longestMs: duration,
  nameKind: oneOf(['route', 'path', 'name']),
};

const BLOCK: Rules<Block> = {
  id: name,
  instance: instanceId,
  startMs: time,
  durationMs: duration,
  excludedMs: duration,
  ended: flag,
  cause: (value) => oneOf(CAUSES)(value) ?? 'unknown',
  because: name,
  culprit: location,
  definedAt: position,
  definedAtColumn: position,
  stackTrace: stack,
  stackQuality: (value) => oneOf(STACK_QUALITIES)(value) ?? 'none',
  sampleCount: (value) => count(value) ?? 0,
  profile: stack,
  lines: timesByLine,
  cpuMs: duration,
  gcMs: duration,
  runQueueMs: duration,
  asyncResource: name,
  request: name,
  suppressedCount: (value) => count(value) ?? 0,
  pending: names,
  childProcesses: names,
  answerAgeMs: duration,
  threadId: (value) => id(value) ?? 0,
  threadName: (value) => name(value) ?? 'main',
  traceId: name,
  spanId: name,
  parentSpanId: name,
  victimCount: count,
  victimWaitMs: duration,
  victimSummary: (value) => accepted(value, VICTIMS, ['nameCount', 'longestMs', 'nameKind']),
};

const REQUIRED = [
  'id',
  'instance',
  'startMs',
  'durationMs',
  'ended',
  'cause',
  'stackQuality',
  'sampleCount',
  'suppressedCount',
  'threadId',
  'threadName',
] as const;

/** The block as it is kept; undefined if it has no id, no time or no thread. */
export function acceptBlock(value: unknown): Block | undefined {
  return accepted<Block>(value, BLOCK, REQUIRED);
}

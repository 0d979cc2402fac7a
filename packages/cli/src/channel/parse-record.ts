import {
  type Block,
  CAUSES,
  type CodeLocation,
  type Instance,
  type LagPoint,
  STACK_QUALITIES,
  type StartUp,
} from '../model/types.js';
import type { UnwatchedProcess } from '../model/unwatched.js';
import { type ChannelRecord, HEADER_PROCESS } from './contract.js';
import { arrayOf, flag, lengthMs, object, oneOf, optional, type Rule, text, timeMs, whole } from './fields.js';

/*
 * A record comes from a process that may be hostile to the reader: `attach` reads those of other users as root. Only the
 * fields that are known here are taken, of their type and within their range.
 */

const NAME = 1000;
const PATH = 4096;
const COMMAND = 16_384;
const STACK = 65_536;
const MAX_THREAD_ID = 2 ** 31;
const MAX_COUNT = 1e9;
const MAX_LINE_NUMBER = 1e8;
const MAX_BUCKETS = 200;

const id = text(NAME, 'whole');
const name = text(NAME);
const threadId = whole(MAX_THREAD_ID);

const location = object<CodeLocation>({
  functionName: name,
  filePath: text(PATH),
  lineNumber: whole(MAX_LINE_NUMBER),
  columnNumber: whole(MAX_LINE_NUMBER),
});

/** Of a block that its own process reports: no victims, whose traces the process does not know. */
type ReportedBlock = Omit<Block, 'victimCount' | 'victimWaitMs' | 'victimSummary' | 'definedAt'>;

const block = object<ReportedBlock>({
  id,
  instance: id,
  startMs: timeMs,
  durationMs: lengthMs,
  ended: flag,
  cause: oneOf(CAUSES),
  culprit: optional(location),
  stackTrace: optional(text(STACK)),
  stackQuality: oneOf(STACK_QUALITIES),
  sampleCount: whole(MAX_COUNT),
  profile: optional(text(STACK)),
  lines: optional(text(STACK)),
  cpuMs: optional(lengthMs),
  gcMs: optional(lengthMs),
  runQueueMs: optional(lengthMs),
  asyncResource: optional(name),
  request: optional(name),
  suppressedCount: whole(MAX_COUNT),
  pending: optional(arrayOf(name, 100)),
  threadId,
  threadName: name,
  traceId: optional(id),
  spanId: optional(id),
  parentSpanId: optional(id),
});

/** Of a process that the CLI has started or attached to: its version and repository are not known to it. */
type ReportedInstance = Omit<Instance, 'version' | 'vcs' | 'directory'>;

const process = object<ReportedInstance>({
  id,
  service: name,
  label: name,
  pid: optional(whole(2 ** 31)),
  command: optional(text(COMMAND)),
});

const startUp = object<StartUp>({ instance: id, threadId, threadName: name, durationMs: lengthMs });

const lagPoint = object<LagPoint>({
  instance: id,
  threadName: name,
  startMs: timeMs,
  endMs: timeMs,
  boundsMs: arrayOf(lengthMs, MAX_BUCKETS),
  counts: arrayOf(whole(MAX_COUNT), MAX_BUCKETS + 1),
  maxMs: optional(lengthMs),
});

const unwatched = object<UnwatchedProcess>({
  pid: whole(2 ** 31),
  command: text(COMMAND),
  reason: oneOf(['node_options_replaced', 'node_options_removed', 'directory_removed', 'shown_by_node']),
  option: optional(name),
});

type TypedRecord = Exclude<ChannelRecord, { readonly type: 'request' }>;
const rules: { readonly [T in TypedRecord['type']]: Rule<Extract<TypedRecord, { readonly type: T }>> } = {
  block: object({ type: oneOf(['block']), block }),
  process: object({ type: oneOf(['process']), process }),
  startUp: object({ type: oneOf(['startUp']), startUp }),
  lag: object({ type: oneOf(['lag']), point: lagPoint }),
  unwatched: object({ type: oneOf(['unwatched']), process: unwatched }),
  end: object({ type: oneOf(['end']), instance: id, threadId }),
};

/** Parses a line of the channel; undefined where it is no record. */
export function parseRecord(line: string): ChannelRecord | undefined {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return undefined; // A full disk may truncate a line.
  }
  if (typeof value !== 'object' || value === null) return undefined;
  const { type, headers, body } = value as Readonly<Record<string, unknown>>;
  if (type === undefined) return requestOf(headers, body);
  if (typeof type !== 'string' || !Object.hasOwn(rules, type)) return undefined;
  const rule: Rule<TypedRecord> = rules[type as TypedRecord['type']];
  const record = rule(value);
  return record?.type === 'lag' && record.point.counts.length !== record.point.boundsMs.length + 1 ? undefined : record;
}

/** The body is OTLP, which is decoded, and judged, as one from the network. */
function requestOf(headers: unknown, body: unknown): ChannelRecord | undefined {
  const instance = id((headers as Readonly<Record<string, unknown>> | null | undefined)?.[HEADER_PROCESS]);
  return instance === undefined ? undefined : { type: 'request', headers: { [HEADER_PROCESS]: instance }, body };
}

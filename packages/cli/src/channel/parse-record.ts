import { acceptBlock } from '../model/accept/block.js';
import { acceptBusyPeriod } from '../model/accept/busy-period.js';
import { acceptLagPoint } from '../model/accept/lag-point.js';
import { acceptPoolWait } from '../model/accept/pool-wait.js';
import { acceptInstance, acceptProblem, acceptStartUp, acceptUnwatched } from '../model/accept/process.js';
import { id, instanceId } from '../model/rules.js';
import { type ChannelRecord, HEADER_PROCESS } from './contract.js';

/*
 * A record comes from a process that may be hostile to the reader: `attach` reads those of other users as root. Only the
 * fields that are known are taken, of their type and within their range (`model/accept`).
 */

type Given = Readonly<Record<string, unknown>>;
type TypedRecord = Exclude<ChannelRecord, { readonly type: 'request' }>;

const parsers: Readonly<Record<TypedRecord['type'], (given: Given) => TypedRecord | undefined>> = {
  block: (given) => accept('block', { block: acceptBlock(given.block) }),
  process: (given) => accept('process', { process: acceptInstance(given.process) }),
  startUp: (given) => accept('startUp', { startUp: acceptStartUp(given.startUp) }),
  lag: (given) => accept('lag', { point: acceptLagPoint(given.point) }),
  busy: (given) => accept('busy', { period: acceptBusyPeriod(given.period) }),
  threadPool: (given) => accept('threadPool', { wait: acceptPoolWait(given.wait) }),
  unwatched: (given) => accept('unwatched', { process: acceptUnwatched(given.process) }),
  problem: (given) => accept('problem', { problem: acceptProblem(given.problem) }),
  end: (given) => accept('end', threadOf(given)),
  workerStarted: (given) => accept('workerStarted', threadOf(given)),
  workerWatched: (given) => accept('workerWatched', threadOf(given)),
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
  const given = value as Given;
  const { type } = given;
  if (type === undefined) return requestOf(given);
  if (typeof type !== 'string' || !Object.hasOwn(parsers, type)) return undefined;
  return parsers[type as TypedRecord['type']](given);
}

function threadOf({ instance, threadId }: Given): object {
  return { instance: instanceId(instance), threadId: id(threadId) };
}

/** The record, unless one of its fields was not accepted. */
function accept(type: TypedRecord['type'], fields: object): TypedRecord | undefined {
  return Object.values(fields).includes(undefined) ? undefined : ({ type, ...fields } as TypedRecord);
}

/** The body is OTLP, which is decoded, and judged, as one from the network. */
function requestOf({ headers, body }: Given): ChannelRecord | undefined {
  const instance = instanceId((headers as Given | null | undefined)?.[HEADER_PROCESS]);
  return instance === undefined ? undefined : { type: 'request', headers: { [HEADER_PROCESS]: instance }, body };
}

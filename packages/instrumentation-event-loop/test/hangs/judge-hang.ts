import type { Attributes } from '@loopwatch/test-support';

import {
  ATTR_BLOCKED_ANSWER_AGE,
  ATTR_BLOCKED_CAUSE,
  ATTR_BLOCKED_CHILD_PROCESSES,
  ATTR_BLOCKED_CPU_TIME,
  ATTR_BLOCKED_REQUEST,
  ATTR_BLOCKED_RUN_QUEUE_TIME,
  ATTR_CODE_FUNCTION_NAME,
} from '../../src/semconv.ts';
import type { HangKind } from './kinds.ts';

/** A report, as it was received. */
export interface HangSpan {
  readonly parentSpanId?: string;
  readonly durationMs: number;
  readonly attributes: Attributes;
}

/** A hypervisor may take the CPU, and the clocks are read one after the other. */
const TIME_TOLERANCE = 1.05;
/** An answer that is older than this share of the hang is not of the present. */
const OLD_ANSWER_SHARE = 0.5;
/** With less CPU time, ms, a hang that waited for a CPU would be no block: the default of `blockedThresholdMs`, and 20. */
const STARVED_CPU_MS = 120;

/** What is wrong in a report, and what it should know and does not say. */
export interface HangVerdict {
  readonly wrong: readonly string[];
  readonly absent: readonly string[];
}

export function judgeHang(
  { culprit, cause, hasChild = false }: HangKind,
  { parentSpanId, durationMs, attributes }: HangSpan,
  requestSpanId: string,
): HangVerdict {
  const seconds = durationMs / 1000;
  const number = (name: string): number => Number(attributes[name] ?? 0);
  const [cpuMs, runQueueMs] = [ATTR_BLOCKED_CPU_TIME, ATTR_BLOCKED_RUN_QUEUE_TIME].map((name) => number(name) * 1000);
  const isStarved = cpuMs! < STARVED_CPU_MS && runQueueMs! >= durationMs / 2;
  const said = attributes[ATTR_BLOCKED_CAUSE];
  const isCauseOfMachine = said === 'cpu_starved' && isStarved;
  const checks: readonly Check[] = [
    ['function', culprit, attributes[ATTR_CODE_FUNCTION_NAME]],
    ['cause', cause, isCauseOfMachine || cause === undefined ? cause : said === 'unknown' ? undefined : said],
    ['parent', culprit && requestSpanId, parentSpanId],
    ['request', culprit && 'request', attributes[ATTR_BLOCKED_REQUEST]],
    ['child process', hasChild || undefined, attributes[ATTR_BLOCKED_CHILD_PROCESSES] ? true : undefined],
    ['answer of the present', true, number(ATTR_BLOCKED_ANSWER_AGE) < OLD_ANSWER_SHARE * seconds || undefined],
    [
      'times within the hang',
      true,
      number(ATTR_BLOCKED_CPU_TIME) + number(ATTR_BLOCKED_RUN_QUEUE_TIME) <= TIME_TOLERANCE * seconds,
    ],
  ];
  const failed = checks.filter(([, expected, got]) => expected !== got);
  const describe = ([what, expected, got]: Check): string =>
    `${what}: expected ${shown(expected)}, got ${shown(got)}` +
    (got === 'cpu_starved' ? ` (CPU ${cpuMs!.toFixed(0)} ms, run queue ${runQueueMs!.toFixed(0)} ms)` : '');
  return {
    wrong: failed.filter(([, , got]) => got !== undefined).map(describe),
    absent: failed.filter(([, , got]) => got === undefined).map(describe),
  };
}

type Value = Attributes[string];
/** What is compared, what was expected, and what the report says: undefined where it says nothing. */
type Check = readonly [what: string, expected: Value, got: Value];

function shown(value: Value): string {
  return value === undefined ? 'none' : String(value);
}

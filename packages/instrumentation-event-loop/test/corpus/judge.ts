import { blockedSpans, epochMs } from '@loopwatch/test-support';
import type { SpanRecord, Telemetry, TruthRecord } from '@loopwatch/test-support';

import {
  ATTR_BLOCKED_ASYNC_RESOURCE,
  ATTR_BLOCKED_CAUSE,
  ATTR_BLOCKED_STACK_QUALITY,
  ATTR_CODE_FILE_PATH,
  ATTR_CODE_FUNCTION_NAME,
  ATTR_CODE_LINE_NUMBER,
} from '../../src/semconv.ts';
import type { CollectedMs } from './collections.ts';
import type { Expectation } from './expectation.ts';
import { acceptedCauses, profileOfProgram } from './measured-causes.ts';

/** One aspect of a block that differs from the expectation. */
export interface Miss {
  readonly aspect: 'span' | 'parent' | 'culprit' | 'cause' | 'resource' | 'request';
  readonly expected: string;
  readonly got: string;
  /** The block says that its culprit is a guess: most of its samples were taken after a native call had returned. */
  readonly isMarked?: boolean;
}

interface Observed extends Telemetry {
  readonly collectedMs?: CollectedMs;
  /** For how long the watchdog's debugger has held the thread at most, ms: the program counts that time, the block not. */
  readonly heldMs?: number;
}

/** Compares the telemetry of a program with its expectation. Without a miss, everything is right. */
export function judge(expectation: Expectation, telemetry: Observed, programsDirectory: string): Miss[] {
  if (telemetry.truths.length === 0) return [miss('span', 'a program that blocks', 'one that recorded no block')];
  return telemetry.truths.flatMap((truth) => judgeBlock(expectation, telemetry, truth, programsDirectory));
}

function judgeBlock(expectation: Expectation, telemetry: Observed, truth: TruthRecord, directory: string): Miss[] {
  const blocked = blockedSpans(telemetry);
  const span = blocked.find(({ startTime, endTime }) =>
    covers(epochMs(startTime), epochMs(endTime), truth, telemetry.heldMs),
  );
  if (!span) {
    const from = truth.startEpochMs;
    const spans = blocked.map(
      (each) => `${rounded(epochMs(each.startTime) - from)}–${rounded(epochMs(each.endTime) - from)} ms`,
    );
    return [miss('span', `one over 0–${rounded(truth.endEpochMs - from)} ms`, spans.join(', ') || 'none')];
  }
  return [
    ...judgeParent(expectation, telemetry, truth, span),
    ...judgeCulprit(
      expectation,
      {
        functionName: span.attributes[ATTR_CODE_FUNCTION_NAME],
        filePath: span.attributes[ATTR_CODE_FILE_PATH],
        lineNumber: span.attributes[ATTR_CODE_LINE_NUMBER],
        stackQuality: span.attributes[ATTR_BLOCKED_STACK_QUALITY],
      },
      directory,
    ),
    ...judgeCause(expectation, truth, span.attributes[ATTR_BLOCKED_CAUSE], telemetry.collectedMs?.(truth)),
    ...judgeValue('resource', expectation.resources, span.attributes[ATTR_BLOCKED_ASYNC_RESOURCE]),
  ];
}

/** The default of `blockedThresholdMs`. */
const thresholdMs = 100;
/** The program and the instrumentation measure a block at slightly different points. */
const slackMs = 20;

/**
 * Compares the cause with those that the program states and the measurements leave. `cpu_starved` is right where the
 * block was short without its wait for a CPU; the program's cause stays right.
 */
export function judgeCause(expectation: Expectation, truth: TruthRecord, got: unknown, collectedMs?: number): Miss[] {
  const profile = profileOfProgram(expectation.program);
  const { causes, because } = acceptedCauses(expectation, truth, profile, collectedMs);
  const { runQueueMs = 0, startNowMs, endNowMs } = truth;
  const wouldBeShort = runQueueMs > 0 && endNowMs - startNowMs - runQueueMs < thresholdMs + slackMs;
  const misses = judgeValue('cause', wouldBeShort ? [...causes, 'cpu_starved'] : causes, got);
  return because === undefined
    ? misses
    : misses.map((each) => ({ ...each, expected: `${each.expected} (${because})` }));
}

/** The causes that the program states and the measurements of its blocks leave. */
export function causesOf(
  expectation: Expectation,
  { truths, collectedMs }: Pick<Telemetry, 'truths'> & { readonly collectedMs: CollectedMs },
): readonly string[] {
  const profile = profileOfProgram(expectation.program);
  const causes = truths.flatMap((truth) => acceptedCauses(expectation, truth, profile, collectedMs(truth)).causes);
  return [...new Set(causes)];
}

/** With a tolerance of a tenth of the block plus 20 ms on either side: the accuracy test checks exact times. */
export function covers(startMs: number, endMs: number, truth: TruthRecord, heldMs = 0): boolean {
  const slackMs = 20 + (truth.endEpochMs - truth.startEpochMs) / 10;
  const earlyMs = truth.endEpochMs - endMs;
  return Math.abs(startMs - truth.startEpochMs) < slackMs && earlyMs > -slackMs && earlyMs < slackMs + heldMs;
}

function judgeParent({ parent }: Expectation, telemetry: Telemetry, truth: TruthRecord, span: SpanRecord): Miss[] {
  if (parent === 'any') return [];
  const actual = telemetry.spans.find(({ spanId }) => spanId === span.parentSpanId);
  const got = actual?.name ?? span.parentSpanId ?? 'none';
  if (got !== parent) return [miss('parent', parent, got)];
  // Another request's span may have the same name.
  return truth.spanId === span.parentSpanId
    ? []
    : [miss('parent', `${parent} ${truth.spanId ?? ''}`, `${got} ${span.parentSpanId ?? ''}`)];
}

/** A reported culprit, as it was read: of any type, or missing. */
export interface ReportedCulprit {
  readonly functionName?: unknown;
  readonly filePath?: unknown;
  readonly lineNumber?: unknown;
  readonly stackQuality?: unknown;
}

export function judgeCulprit(
  { culprits, file, lines }: Expectation,
  { functionName: name, filePath, lineNumber: line, stackQuality }: ReportedCulprit,
  directory: string,
): Miss[] {
  const got = `${String(name)} (${typeof filePath === 'string' ? filePath.replace(directory, '.') : 'no file'}:${String(line)})`;
  const expected = `${culprits.join(' or ') || 'any name'} (./${file}:${lines?.join('–') ?? 'any'})`;

  const isName = typeof name === 'string' && (culprits.length === 0 || culprits.includes(bareName(name)));
  const isFile = filePath === `${directory}/${file}`;
  const isLine = !lines || (typeof line === 'number' && line >= lines[0] && line <= lines[1]);
  if (isName && isFile && isLine) return [];
  return [{ ...miss('culprit', expected, got), isMarked: stackQuality === 'post_native' }];
}

/** `total` for `Basket.get total [as total]`. */
export function bareName(name: string): string {
  const withoutAlias = name.replace(/ \[as [^\]]+\]$/, '');
  return withoutAlias.split(/[. ]/).at(-1)!;
}

export function judgeValue(aspect: Miss['aspect'], expected: readonly string[], got: unknown): Miss[] {
  return expected.length === 0 || expected.includes(String(got))
    ? []
    : [miss(aspect, expected.join(' or '), String(got))];
}

export function miss(aspect: Miss['aspect'], expected: string, got: string): Miss {
  return { aspect, expected, got };
}

function rounded(ms: number): string {
  return ms.toFixed(0);
}

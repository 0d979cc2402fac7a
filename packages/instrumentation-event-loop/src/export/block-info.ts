import type { Block, Frame } from '../contract/model.js';
import { printable } from '../contract/printable.js';
import type { BlockInfo } from '../types.js';
import { codeLocation } from './code-location.js';
import { blockingContext } from './parent.js';

/** Longest stack trace, in characters. */
const MAX_STACK = 16_384;

/** A block as the user's hook gets it; without `captureStacks` it contains no code locations and no stacks. */
export function blockInfo(block: Block, captureStacks: boolean, suppressedCount: number): BlockInfo {
  const { attribution, times } = block;
  const culprit = captureStacks ? attribution.culprit : undefined;
  const stackTrace = captureStacks ? formatStack(attribution.stack) : '';
  return Object.freeze({
    startTime: block.start,
    endTime: block.end,
    durationMs: block.durationMs,
    cause: attribution.cause,
    because: attribution.because,
    ...(times.cpuMs === undefined ? {} : { cpuTimeMs: times.cpuMs }),
    ...(times.gcMs === undefined ? {} : { gcTimeMs: times.gcMs }),
    ...(times.runQueueMs === undefined ? {} : { runQueueTimeMs: times.runQueueMs }),
    ...(culprit ? { culprit: codeLocation(culprit) } : {}),
    ...(stackTrace === '' ? {} : { stackTrace }),
    stackQuality: attribution.quality,
    sampleCount: attribution.sampleCount,
    ...(captureStacks && attribution.profile !== '' ? { profile: printable(attribution.profile, Infinity, true) } : {}),
    ...(captureStacks && attribution.lines !== undefined ? { lines: attribution.lines } : {}),
    ...(attribution.asyncResource === '' ? {} : { asyncResource: printable(attribution.asyncResource) }),
    ...(attribution.pending ? { pending: attribution.pending } : {}),
    suppressedCount,
    threadId: block.threadId,
    threadName: printable(block.threadName),
    context: blockingContext(attribution),
  });
}

/** Formats a stack as V8 does. */
export function formatStack(stack: readonly Frame[]): string {
  let text = '';
  for (const frame of stack) {
    const name = frame.functionName;
    const place = frame.fileName === '' ? '<anonymous>' : `${frame.fileName}:${frame.lineNumber}:${frame.columnNumber}`;
    const line = printable(`${frame.isAsync ? 'async ' : ''}${name === '' ? place : `${name} (${place})`}`);
    const next = `${text}${text === '' ? '' : '\n'}    at ${line}`;
    if (next.length > MAX_STACK) break;
    text = next;
  }
  return text;
}

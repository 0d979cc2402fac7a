import type { Block, Frame } from '../model.js';
import type { BlockInfo, CodeLocation } from '../types.js';
import { culpritContext } from './parent.js';

/** Longest name or path that leaves the process, in characters. */
const MAX_NAME = 512;
/** Longest stack trace, in characters. */
const MAX_STACK = 16_384;

/** A block as the user's hook sees it; without `captureStacks`, no word of code in it. */
export function blockInfo(block: Block, captureStacks: boolean, suppressedCount: number): BlockInfo {
  const { attribution, times } = block;
  const culprit = captureStacks ? attribution.culprit : undefined;
  const stackTrace = captureStacks ? formatStack(attribution.stack) : '';
  return Object.freeze({
    startTime: block.start,
    endTime: block.end,
    durationMs: block.durationMs,
    cause: attribution.cause,
    ...(times.cpuMs === undefined ? {} : { cpuTimeMs: times.cpuMs }),
    ...(times.gcMs === undefined ? {} : { gcTimeMs: times.gcMs }),
    ...(times.runQueueMs === undefined ? {} : { runQueueTimeMs: times.runQueueMs }),
    ...(culprit ? { culprit: codeLocation(culprit) } : {}),
    ...(stackTrace === '' ? {} : { stackTrace }),
    stackQuality: attribution.quality,
    sampleCount: attribution.sampleCount,
    ...(captureStacks && attribution.profile !== '' ? { profile: printable(attribution.profile, Infinity, true) } : {}),
    ...(attribution.asyncResource === '' ? {} : { asyncResource: printable(attribution.asyncResource) }),
    ...(attribution.pending ? { pending: attribution.pending } : {}),
    suppressedCount,
    threadId: block.threadId,
    threadName: printable(block.threadName),
    context: culpritContext(attribution.contexts),
  });
}

export function codeLocation(frame: Frame): CodeLocation {
  return {
    functionName: printable(frame.functionName || '<anonymous>'),
    filePath: printable(frame.fileName),
    lineNumber: frame.lineNumber,
    columnNumber: frame.columnNumber,
  };
}

/** A stack as V8 prints it. */
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

/** Names come from the application's code and may hold anything: control characters do not reach a terminal. */
function printable(text: string, maxLength = MAX_NAME, keepsLines = false): string {
  // eslint-disable-next-line no-control-regex -- they are what is looked for
  const clean = text.replaceAll(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]/g, (c) =>
    keepsLines && c === '\n' ? c : '\uFFFD',
  );
  return clean.length > maxLength ? `${clean.slice(0, maxLength - 1)}…` : clean;
}

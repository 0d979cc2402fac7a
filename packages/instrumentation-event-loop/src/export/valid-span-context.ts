import type { SpanContext } from '@opentelemetry/api';

/**
 * As `trace.isSpanContextValid`, which tests with regular expressions: code that runs in an interrupt must not execute
 * any (see `probe/probe.ts`).
 */
export function isValidSpanContext({ traceId, spanId }: SpanContext): boolean {
  return isId(traceId, 32) && isId(spanId, 16);
}

/** Whether the text is a hexadecimal number of that length other than zero. */
function isId(text: string, length: number): boolean {
  if (text.length !== length) return false;
  let isZero = true;
  for (let i = 0; i < length; i++) {
    const code = text.charCodeAt(i);
    const isDigit = code >= 0x30 && code <= 0x39;
    const isLetter = (code >= 0x61 && code <= 0x66) || (code >= 0x41 && code <= 0x46);
    if (!isDigit && !isLetter) return false;
    if (code !== 0x30) isZero = false;
  }
  return !isZero;
}

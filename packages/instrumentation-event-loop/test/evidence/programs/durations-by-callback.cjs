'use strict';
/**
 * A long text of durations is read by a replacement callback: the regular expression has little of the time.
 * @culprit parseDuration
 * @parent POST /ttl
 */
const { trace } = require('@opentelemetry/api');
const truth = require('../kit/truth.cjs');

const units = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 };

function parseDuration(text) {
  let totalMs = 0;
  text.replace(/(\d+)\s*([a-z]*)/g, (_, count, unit) => {
    let factor = 1;
    for (const [name, ms] of Object.entries(units)) if (name === unit.toLowerCase().trim()) factor = ms;
    totalMs += Number(count) * factor;
    return '';
  });
  return totalMs;
}

trace.getTracer('server').startActiveSpan('POST /ttl', (span) => {
  const text = Array.from({ length: 30_000 }, (_, i) => `${i}${Object.keys(units)[i % 4]}`).join(' ');
  setTimeout(() => {
    truth.begin();
    const until = performance.now() + 300;
    while (performance.now() < until) parseDuration(text);
    truth.end();
    span.end();
  }, 400);
});

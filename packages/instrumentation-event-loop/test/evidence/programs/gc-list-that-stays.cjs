'use strict';
/**
 * A list grows by small objects that all stay: young collections copy each of them.
 * @culprit preload
 * @parent preload
 */
const { trace } = require('@opentelemetry/api');
const truth = require('../kit/truth.cjs');

function preload(ms) {
  const until = performance.now() + ms;
  let sessions;
  let id = 0;
  while (performance.now() < until) {
    for (let i = 0; i < 500; i++)
      sessions = { id: id++, name: `user ${id}`, tags: [`a${id}`, [id]], previous: sessions };
  }
  return sessions.id;
}

trace.getTracer('sessions').startActiveSpan('preload', (span) => {
  setTimeout(() => {
    truth.begin();
    preload(600);
    truth.end();
    span.end();
  }, 400);
});

'use strict';
/**
 * A translation helper makes a regular expression for each placeholder of each message.
 * @culprit interpolate
 * @cause javascript native gc
 * @parent render-page
 * @resource Timeout
 */
const { trace } = require('@opentelemetry/api');
const truth = require('../kit/truth.cjs');

const messages = Array.from(
  { length: 4000 },
  (_, id) => `Hello {{name}}, you have {{count}} items in {{place}} (${id}).`,
);

// <culprit>
function interpolate(message, values) {
  let text = message;
  for (const key of Object.keys(values)) text = text.replace(new RegExp(`{{\\s*${key}\\s*}}`, 'g'), values[key]);
  return text;
}

function translatePage(list) {
  return list.map((message, count) =>
    interpolate(message, { name: 'Ada', count: String(count), place: 'your basket' }),
  );
}
// </culprit>

trace.getTracer('pages').startActiveSpan('render-page', (span) => {
  setTimeout(() => {
    truth.begin();
    const until = performance.now() + 400;
    while (performance.now() < until) translatePage(messages);
    truth.end();
    span.end();
  }, 300);
});

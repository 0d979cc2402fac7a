'use strict';
/**
 * A template engine compiles templates with `new Function`; the compiled code has no file, its caller is the culprit.
 * @culprit renderMail
 * @cause javascript gc native
 * @parent send-mails
 * @resource Timeout
 */
const { trace } = require('@opentelemetry/api');
const truth = require('../kit/truth.cjs');

const template = new Function(
  'rows',
  `let out = '';
   for (const row of rows) {
     out += '<tr><td>' + String(row.name).replace(/</g, '&lt;') + '</td><td>' + row.price.toFixed(2) + '</td></tr>';
   }
   return out;`,
);
const rows = Array.from({ length: 2000 }, (_, index) => ({ name: `<item ${index}>`, price: index * 1.1 }));

// <culprit>
function renderMail(list, until) {
  let html = '';
  while (performance.now() < until) html = template(list);
  return html;
}
// </culprit>

trace.getTracer('mails').startActiveSpan('send-mails', (span) => {
  setTimeout(() => {
    truth.begin();
    renderMail(rows, performance.now() + 400);
    truth.end();
    span.end();
  }, 300);
});

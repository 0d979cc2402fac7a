'use strict';
/**
 * A client makes a new TLS context, with the certificates of the company, for each of its calls.
 * @culprit contextFor
 * @cause native javascript gc
 * @parent call-partners
 * @resource Timeout
 */
const tls = require('node:tls');
const { trace } = require('@opentelemetry/api');
const truth = require('../kit/truth.cjs');

// <culprit>
function contextFor(partner) {
  return tls.createSecureContext({ ca: tls.rootCertificates.slice(0, 60), sessionIdContext: partner });
}

function prepareCalls(until) {
  const contexts = [];
  for (let id = 0; performance.now() < until; id += 1) contexts.push(contextFor(`partner-${id}`));
  return contexts;
}
// </culprit>

trace.getTracer('partners').startActiveSpan('call-partners', (span) => {
  setTimeout(() => {
    truth.begin();
    prepareCalls(performance.now() + 450);
    truth.end();
    span.end();
  }, 300);
});

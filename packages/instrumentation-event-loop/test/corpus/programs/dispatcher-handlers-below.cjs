'use strict';
/**
 * A command bus calls handlers without a name, which are registered below it in the same file.
 * @culprit *
 * @cause javascript
 * @parent command
 * @resource Timeout
 */
const { trace } = require('@opentelemetry/api');
const truth = require('../kit/truth.cjs');

const handlers = new Map();

function dispatch(command) {
  return handlers.get(command.type)(command);
}

handlers.set('ping', () => 'pong');

// <culprit>
handlers.set('settle-accounts', ({ accounts, until }) => {
  let total = 0;
  for (let day = 0; performance.now() < until; day += 1) {
    for (let account = 0; account < accounts; account += 1) total = (total * 31 + account * day) % 65_521;
  }
  return total;
});
// </culprit>

trace.getTracer('bank').startActiveSpan('command', (span) => {
  setTimeout(() => {
    truth.begin();
    dispatch({ type: 'settle-accounts', accounts: 20_000, until: performance.now() + 400 });
    truth.end();
    span.end();
  }, 300);
});

'use strict';
/**
 * Passwords are looked up in a list of common ones, an array, one after the other when users are imported.
 * @culprit isCommon importUsers
 * @cause javascript native
 * @parent import-users
 * @resource Timeout
 */
const { trace } = require('@opentelemetry/api');
const truth = require('../kit/truth.cjs');

const common = Array.from({ length: 60_000 }, (_, index) => `password${index * 7}`);
const users = Array.from({ length: 1500 }, (_, index) => ({ name: `user ${index}`, password: `secret-${index}-word` }));

// <culprit>
function isCommon(password) {
  return common.includes(password.toLowerCase());
}

function importUsers(list) {
  return list.filter((user) => !isCommon(user.password));
}
// </culprit>

trace.getTracer('accounts').startActiveSpan('import-users', (span) => {
  setTimeout(() => {
    truth.begin();
    const until = performance.now() + 400;
    while (performance.now() < until) importUsers(users);
    truth.end();
    span.end();
  }, 300);
});

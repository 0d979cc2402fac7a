'use strict';
/**
 * Each user's plan is searched in a list, in a callback of one line.
 * @culprit withPlans withPlans.find
 * @parent GET /users
 */
const { trace } = require('@opentelemetry/api');
const truth = require('../kit/truth.cjs');

const plans = Array.from({ length: 6000 }, (_, id) => ({ id, name: `plan ${id}` }));
const users = Array.from({ length: 6000 }, (_, id) => ({ id, planId: 5999 - (id % 50) }));

function withPlans(list) {
  return list.map((user) => ({
    ...user,
    plan: plans.find((plan) => plan.id === user.planId),
  }));
}

trace.getTracer('server').startActiveSpan('GET /users', (span) => {
  setTimeout(() => {
    truth.begin();
    const until = performance.now() + 300;
    while (performance.now() < until) withPlans(users.slice(0, 1500));
    truth.end();
    span.end();
  }, 400);
});

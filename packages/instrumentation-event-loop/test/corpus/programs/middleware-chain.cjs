'use strict';
/**
 * A chain of middleware in the style of Express: one of them builds the whole permission matrix for each request.
 * @culprit attachPermissions
 * @cause javascript gc native
 * @parent get-orders
 * @resource Timeout
 */
const { trace } = require('@opentelemetry/api');
const truth = require('../kit/truth.cjs');

const roles = Array.from({ length: 60 }, (_, id) => ({ id, grants: new Set([`r${id}`, `w${id % 7}`, `x${id % 11}`]) }));

// <culprit>
function attachPermissions(request, response, next) {
  const until = performance.now() + 400;
  const matrix = {};
  while (performance.now() < until) {
    for (const role of roles) {
      for (let id = 0; id < 60; id += 1)
        matrix[`${role.id}:${id}`] = role.grants.has(`r${id}`) || role.grants.has(`w${id}`);
    }
  }
  request.permissions = matrix;
  next();
}
// </culprit>

const layers = [
  function requestId(request, response, next) {
    request.id = 7;
    next();
  },
  (request, response, next) => next(),
  attachPermissions,
  function orders(request, response) {
    response.body = Object.keys(request.permissions).length;
    response.end();
  },
];

function handle(request, response) {
  let index = 0;
  const next = () => layers[index++](request, response, next);
  next();
}

trace.getTracer('http').startActiveSpan('get-orders', (span) => {
  setTimeout(() => {
    truth.begin();
    handle(
      {},
      {
        end() {
          truth.end();
          span.end();
        },
      },
    );
  }, 300);
});

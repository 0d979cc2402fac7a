'use strict';
module.exports = ({ report }) => {
  require('blocked-at')((durationMs, stack) => report({ durationMs, stack: stack.join('\n') }), { threshold: 100 });
  return {};
};

'use strict';
module.exports = ({ report }) => {
  require('blocked')((durationMs) => report({ durationMs }), { threshold: 100 });
  return {};
};

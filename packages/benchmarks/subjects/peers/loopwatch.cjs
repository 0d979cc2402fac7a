'use strict';
const { startLoopwatch } = require('../loopwatch.cjs');

module.exports = ({ report }) => startLoopwatch({}, report);

'use strict';
const { startLoopwatch } = require('../support/loopwatch.cjs');

module.exports = ({ report }) => startLoopwatch({ watchdog: false }, report);

'use strict';
const { startLoopwatch } = require('../support/loopwatch.cjs');

module.exports = ({ report }) => startLoopwatch({ busySamplesPerSecond: 0 }, report);

'use strict';
const { startSdk } = require('../support/open-telemetry.cjs');

module.exports = () => startSdk();

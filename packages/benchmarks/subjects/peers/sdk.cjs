'use strict';
const { startSdk } = require('../open-telemetry.cjs');

module.exports = () => startSdk();

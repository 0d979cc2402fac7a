'use strict';
// node --require threads-preload.cjs program: telemetry in the main thread and in every worker, which inherits the flag.
const { startTelemetry, optionsOfRun } = require('../kit/telemetry.cjs');

startTelemetry(optionsOfRun());

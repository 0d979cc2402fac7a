'use strict';
/**
 * No application code runs at all: a library's own timer is the culprit.
 * @culprit sweep
 * @file node_modules/slow-cache/index.js
 * @cause javascript
 * @parent none
 * @resource Timeout
 */
const { SlowCache } = require('slow-cache');

module.exports = new SlowCache({ sweepAfterMs: 300 });

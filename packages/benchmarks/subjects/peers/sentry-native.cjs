'use strict';
const { startSentry } = require('../support/sentry.cjs');
const { eventLoopBlockIntegration } = require('@sentry/node-native');

module.exports = () => startSentry(eventLoopBlockIntegration({ threshold: 100, maxEventsPerHour: 1000 }));

'use strict';
const { Sentry, startSentry } = require('../support/sentry.cjs');

module.exports = () =>
  startSentry(Sentry.anrIntegration({ anrThreshold: 100, captureStackTrace: true, maxAnrEvents: 1000 }));

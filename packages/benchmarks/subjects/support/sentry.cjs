'use strict';
// Sentry with a single integration and without a transport on the main thread: its watchdogs send by themselves to the
// DSN.
const Sentry = require('@sentry/node');

const nowhere = 'http://public@127.0.0.1:9/1';

function startSentry(integration) {
  Sentry.init({
    dsn: process.env.BENCH_SENTRY_DSN || nowhere,
    defaultIntegrations: false,
    integrations: [integration],
    skipOpenTelemetrySetup: true,
    transport: () => ({ send: () => Promise.resolve({}), flush: () => Promise.resolve(true) }),
  });
  return {};
}

module.exports = { Sentry, startSentry };

'use strict';
// The SDK for an application that starts none. Loaded after the application's entry point has run.

const { readFileSync } = require('node:fs');
const { createRequire, syncBuiltinESMExports } = require('node:module');
const path = require('node:path');
const process = require('node:process');
const { isWrapped } = require('@opentelemetry/instrumentation');
const { HttpInstrumentation } = require('@opentelemetry/instrumentation-http');
const { RuntimeNodeInstrumentation } = require('@opentelemetry/instrumentation-runtime-node');
const { UndiciInstrumentation } = require('@opentelemetry/instrumentation-undici');
const opentelemetry = require('@opentelemetry/sdk-node');

const { LOOPWATCH_OTLP_ENDPOINT: endpoint } = process.env;
if (endpoint) process.env.OTEL_EXPORTER_OTLP_ENDPOINT ??= endpoint;

exports.NodeSDK = class extends opentelemetry.NodeSDK {
  constructor(options) {
    super(withInstrumentations(options));
  }

  start() {
    super.start();
    admitNewerApi();
  }
};

/** The SDK of a file named by OTEL_CONFIG_FILE. */
exports.startNodeSDK = (options) => {
  const sdk = opentelemetry.startNodeSDK(withInstrumentations(options));
  admitNewerApi();
  return sdk;
};

/**
 * Those that need not be loaded before the application: they patch objects that the application already holds, or
 * subscribe to diagnostics channels. So an application that starts its own SDK is not patched twice.
 */
function withInstrumentations(options) {
  const http = new HttpInstrumentation();
  for (const { name, patch } of http.init()) {
    // The hook patches a module when it is required for the first time. Where that was before, nothing is left to call it.
    const loaded = require(name);
    if (!isWrapped(loaded.Server.prototype.emit)) patch(loaded);
  }
  syncBuiltinESMExports();
  return { ...options, instrumentations: [http, new UndiciInstrumentation(), new RuntimeNodeInstrumentation()] };
}

/**
 * Lets the application's OpenTelemetry API read the globals of this SDK. An API accepts globals of its own minor version
 * or a later one, although those of an earlier one have all that tracing uses.
 */
function admitNewerApi() {
  const globals = globalThis[Symbol.for('opentelemetry.js.api.1')];
  const version = versionOfApplicationsApi();
  if (globals === undefined || version === undefined) return;
  const [major, minor] = version.split('.').map(Number);
  const [ourMajor, ourMinor] = globals.version.split('.').map(Number);
  if (major === ourMajor && minor > ourMinor) globals.version = version;
}

function versionOfApplicationsApi() {
  try {
    const file = createRequire(path.resolve(process.argv[1] ?? '.', 'noop.js')).resolve('@opentelemetry/api');
    // Not every version exports its package.json.
    const [directory] = /^.*@opentelemetry[\\/]api(?=[\\/])/.exec(file);
    return JSON.parse(readFileSync(path.join(directory, 'package.json'), 'utf8')).version;
  } catch {
    return undefined;
  }
}

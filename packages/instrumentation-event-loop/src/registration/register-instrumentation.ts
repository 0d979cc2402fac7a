import { diag } from '@opentelemetry/api';
import { getEnvironmentData, isMainThread, setEnvironmentData } from 'node:worker_threads';
import process from 'node:process';
import { isApplicationUp } from '../detection/loading.js';
import { rootTimers } from '../detection/root-context.js';
import { EventLoopInstrumentation } from '../instrumentation.js';
import { importFromApplication, hasLoadedAnSdk } from './application-modules.js';
import { flushGlobalProviders, hasGlobalProviders } from './global-providers.js';
import { flushOnSignals } from './signals.js';

/** Set by a main thread that has started an SDK of its own: its workers then do the same. */
const OWN_SDK_KEY = 'loopwatch.register.own-sdk';
const RETRY_MS = 20;
/** How long, in ms, an application that has loaded an SDK is given to start it. */
const SDK_PATIENCE_MS = 30_000;

interface Sdk {
  start(): void | Promise<void>;
  shutdown(): Promise<void>;
}

interface SdkModule {
  NodeSDK?: new (configuration: { instrumentations: unknown[] }) => Sdk;
}

/** Starts the instrumentation, and an SDK when the application turns out to have none. */
export function registerInstrumentation(): void {
  const instrumentation = new EventLoopInstrumentation();
  if (isDisabled()) return;
  process.once('beforeExit', () => {
    instrumentation.flush();
    void flushGlobalProviders();
  });
  if (!isMainThread && getEnvironmentData(OWN_SDK_KEY) !== true) return; // a worker joins what it has
  whenApplicationUp(() => {
    if (!hasGlobalProviders()) void startOwnSdk(instrumentation);
  });
}

/** Calls back one turn after the application's entry point has run, and not before an SDK it has loaded had its time. */
function whenApplicationUp(callback: () => void): void {
  const deadline = performance.now() + SDK_PATIENCE_MS;
  const check = (): void => {
    if (hasGlobalProviders()) callback();
    else if (!isApplicationUp() || (hasLoadedAnSdk() && performance.now() < deadline)) {
      rootTimers.setTimeout(check, RETRY_MS);
    } else rootTimers.setImmediate(callback);
  };
  rootTimers.setImmediate(check);
}

async function startOwnSdk(instrumentation: EventLoopInstrumentation): Promise<void> {
  const sdkModule = await importFromApplication<SdkModule>('@opentelemetry/sdk-node');
  if (!sdkModule?.NodeSDK) {
    diag.warn(
      'Expected the application to start an OpenTelemetry SDK or to have @opentelemetry/sdk-node installed; found ' +
        'neither: nothing will be exported. Run `npm install @opentelemetry/sdk-node`.',
    );
    return;
  }
  if (hasGlobalProviders()) return; // started meanwhile
  try {
    const sdk = new sdkModule.NodeSDK({ instrumentations: await runtimeInstrumentations() });
    await sdk.start();
    if (isMainThread) {
      setEnvironmentData(OWN_SDK_KEY, true);
      flushOnSignals(async () => {
        instrumentation.flush();
        await sdk.shutdown();
      });
    }
  } catch (error) {
    diag.error('The OpenTelemetry SDK could not be started: nothing will be exported.', error);
  }
}

/** `nodejs.eventloop.*` and `v8js.*` come from OpenTelemetry's own instrumentation, where it is installed. */
async function runtimeInstrumentations(): Promise<unknown[]> {
  const runtimeNode = await importFromApplication<{ RuntimeNodeInstrumentation?: new () => unknown }>(
    '@opentelemetry/instrumentation-runtime-node',
  );
  return runtimeNode?.RuntimeNodeInstrumentation ? [new runtimeNode.RuntimeNodeInstrumentation()] : [];
}

function isDisabled(): boolean {
  return process.env['OTEL_SDK_DISABLED']?.trim().toLowerCase() === 'true';
}

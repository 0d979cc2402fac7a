import process from 'node:process';
import { isMainThread } from 'node:worker_threads';
import { diag } from '@opentelemetry/api';
import { Header } from '../contract/registry-layout.js';
import { Registry } from '../contract/registry.js';
import { isAppStarted } from '../detection/app-start-up.js';
import { rootTimers } from '../detection/root-timers.js';
import { EventLoopInstrumentation } from '../instrumentation.js';
import { excludeFrom, excludeSince } from '../monitor/shared-monitor.js';
import { importFromApplication, hasLoadedAnSdk } from './application-modules.js';
import { flushGlobalProviders, hasGlobalProviders } from './global-providers.js';
import { flushOnSignals } from './signals.js';

const RETRY_MS = 20;
/** How long an application that has loaded an SDK may take to start it, in ms. */
const SDK_START_TIMEOUT_MS = 30_000;

interface Sdk {
  start(): void | Promise<void>;
  shutdown(): Promise<void>;
}

interface SdkModule {
  NodeSDK?: new (configuration: { instrumentations: unknown[] }) => Sdk;
}

/** Starts the instrumentation, and an SDK where the application does not start one. */
export function registerInstrumentation(): void {
  const instrumentation = new EventLoopInstrumentation();
  if (isDisabled()) return;
  process.once('beforeExit', () => {
    instrumentation.flush();
    void flushGlobalProviders();
  });
  const registry = Registry.ofProcess();
  if (isMainThread) {
    whenAppStarted(() => {
      if (hasGlobalProviders()) storePresetSdk(registry, PresetSdk.none);
      else void startPresetSdk(instrumentation, registry);
    });
  } else {
    // A worker joins the SDK that it starts itself. It gets a preset SDK only where the main thread has one.
    whenAppStarted(
      () => {
        const hasPresetSdk = Atomics.load(registry.ints, Header.ownSdk) === PresetSdk.started;
        if (hasPresetSdk && !hasGlobalProviders()) void startPresetSdk(instrumentation, registry);
      },
      () => Atomics.load(registry.ints, Header.ownSdk) !== PresetSdk.undecided,
    );
  }
}

/** Values of `Header.ownSdk`: state of the SDK that this module may start in the main thread, the preset SDK. */
const PresetSdk = { undecided: 0, started: 1, none: 2 } as const;

function storePresetSdk(registry: Registry, state: number): void {
  if (isMainThread) Atomics.store(registry.ints, Header.ownSdk, state);
}

/**
 * Calls back as soon as an SDK has set the global providers, else one iteration after the application's entry point has
 * run. In the second case it also waits, for `SDK_START_TIMEOUT_MS` at most, until an SDK that the application has
 * loaded has started, and for `isDecided`.
 */
function whenAppStarted(callback: () => void, isDecided = () => true): void {
  const deadline = performance.now() + SDK_START_TIMEOUT_MS;
  const mustWait = (): boolean =>
    !isAppStarted() || ((hasLoadedAnSdk() || !isDecided()) && performance.now() < deadline);
  const check = (): void => {
    if (hasGlobalProviders()) callback();
    else if (mustWait()) rootTimers.setTimeout(check, RETRY_MS);
    else rootTimers.setImmediate(callback);
  };
  rootTimers.setImmediate(check);
}

/** Loads and starts the SDK. The time that this takes is excluded: it is no block of the application. */
async function startPresetSdk(instrumentation: EventLoopInstrumentation, registry: Registry): Promise<void> {
  const startedAt = performance.now();
  excludeFrom(startedAt);
  const sdkPromise = loadSdk();
  // A signal that arrives meanwhile is handled after the SDK has loaded.
  const removeSignalListeners = isMainThread
    ? flushOnSignals(async () => {
        const sdk = await sdkPromise;
        instrumentation.flush();
        await sdk?.shutdown();
      })
    : () => undefined;
  try {
    const sdk = await sdkPromise;
    excludeSince(startedAt);
    if (sdk === undefined || hasGlobalProviders()) {
      removeSignalListeners(); // not installed, or the application has started one meanwhile
      storePresetSdk(registry, PresetSdk.none);
      return;
    }
    await sdk.start();
    storePresetSdk(registry, PresetSdk.started);
  } catch (error) {
    removeSignalListeners();
    storePresetSdk(registry, PresetSdk.none);
    diag.error('Failed to start the OpenTelemetry SDK: nothing will be exported.', error);
  } finally {
    excludeSince(startedAt);
  }
}

async function loadSdk(): Promise<Sdk | undefined> {
  const sdkModule = await importFromApplication<SdkModule>('@opentelemetry/sdk-node');
  if (sdkModule?.NodeSDK) return new sdkModule.NodeSDK({ instrumentations: await runtimeInstrumentations() });
  diag.warn(
    'Expected the application to start an OpenTelemetry SDK or to have @opentelemetry/sdk-node installed; found ' +
      'neither: nothing will be exported. Run `npm install @opentelemetry/sdk-node`.',
  );
  return undefined;
}

/** OpenTelemetry's own instrumentation for `nodejs.eventloop.*` and `v8js.*`, where it is installed. */
async function runtimeInstrumentations(): Promise<unknown[]> {
  const runtimeNode = await importFromApplication<{ RuntimeNodeInstrumentation?: new () => unknown }>(
    '@opentelemetry/instrumentation-runtime-node',
  );
  return runtimeNode?.RuntimeNodeInstrumentation ? [new runtimeNode.RuntimeNodeInstrumentation()] : [];
}

function isDisabled(): boolean {
  return process.env['OTEL_SDK_DISABLED']?.trim().toLowerCase() === 'true';
}

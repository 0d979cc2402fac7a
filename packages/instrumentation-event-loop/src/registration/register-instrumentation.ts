import { diag } from '@opentelemetry/api';
import { isMainThread } from 'node:worker_threads';
import process from 'node:process';
import { isAppStarted } from '../detection/app-start-up.js';
import { Header } from '../contract/registry-layout.js';
import { Registry } from '../contract/registry.js';
import { rootTimers } from '../detection/root-timers.js';
import { EventLoopInstrumentation } from '../instrumentation.js';
import { importFromApplication, hasLoadedAnSdk } from './application-modules.js';
import { flushGlobalProviders, hasGlobalProviders } from './global-providers.js';
import { excludeSince } from '../monitor/shared-monitor.js';
import { flushOnSignals } from './signals.js';

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
  const registry = Registry.ofProcess();
  if (isMainThread) {
    whenAppStarted(() => {
      if (hasGlobalProviders()) decide(registry, Decision.none);
      else void startOwnSdk(instrumentation, registry);
    });
  } else {
    // A worker joins the SDK it has, and has one of its own where the main thread's is ours.
    whenAppStarted(
      () => {
        const isOwn = Atomics.load(registry.ints, Header.ownSdk) === Decision.own;
        if (isOwn && !hasGlobalProviders()) void startOwnSdk(instrumentation, registry);
      },
      () => Atomics.load(registry.ints, Header.ownSdk) !== Decision.undecided,
    );
  }
}

/** Values of `Header.ownSdk`. */
const Decision = { undecided: 0, own: 1, none: 2 } as const;

function decide(registry: Registry, decision: number): void {
  if (isMainThread) Atomics.store(registry.ints, Header.ownSdk, decision);
}

/**
 * Calls back one turn after the application's entry point has run, not before an SDK it has loaded had its time, and not
 * before `isDecided`.
 */
function whenAppStarted(callback: () => void, isDecided = () => true): void {
  const deadline = performance.now() + SDK_PATIENCE_MS;
  const mustWait = (): boolean =>
    !isAppStarted() || ((hasLoadedAnSdk() || !isDecided()) && performance.now() < deadline);
  const check = (): void => {
    if (hasGlobalProviders()) callback();
    else if (mustWait()) rootTimers.setTimeout(check, RETRY_MS);
    else rootTimers.setImmediate(callback);
  };
  rootTimers.setImmediate(check);
}

/** Loads and starts the SDK. What that takes is start-up, though the application runs already. */
async function startOwnSdk(instrumentation: EventLoopInstrumentation, registry: Registry): Promise<void> {
  const begin = performance.now();
  const starting = loadSdk();
  // A signal that comes meanwhile waits for it.
  const forgetSignals = isMainThread
    ? flushOnSignals(async () => {
        const sdk = await starting;
        instrumentation.flush();
        await sdk?.shutdown();
      })
    : () => undefined;
  try {
    const sdk = await starting;
    excludeSince(begin);
    if (sdk === undefined || hasGlobalProviders()) {
      forgetSignals(); // none, or the application has started one meanwhile
      decide(registry, Decision.none);
      return;
    }
    await sdk.start();
    decide(registry, Decision.own);
  } catch (error) {
    forgetSignals();
    decide(registry, Decision.none);
    diag.error('The OpenTelemetry SDK could not be started: nothing will be exported.', error);
  } finally {
    excludeSince(begin);
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

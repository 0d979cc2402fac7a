import { diag } from '@opentelemetry/api';
import { performance } from 'node:perf_hooks';
import process from 'node:process';
import { isMainThread } from 'node:worker_threads';
import { Atomics } from '../contract/built-ins.js';
import { attempt, drop, guarded } from '../contract/guard.js';
import { isHooksThread } from '../contract/hooks-thread.js';
import { Header } from '../contract/registry-layout.js';
import { Registry } from '../contract/registry.js';
import { canUnrefTimers } from '../contract/unref.js';
import { holdStandardDescriptors } from '../contract/standard-descriptors.js';
import { isAppStarted } from '../detection/app-start-up.js';
import { rootTimers } from '../detection/root-timers.js';
import { hasSubscribers } from '../export/channels.js';
import { resourceDetected } from '../export/resource.js';
import { globalTracerProvider, isSdkDisabled } from '../export/tracer-provider.js';
import { EventLoopInstrumentation } from '../instrumentation.js';
import { releaseWarnings } from '../monitor/late-warnings.js';
import {
  excludeFrom,
  excludeSince,
  hasHeldBlock,
  holdReports,
  releaseReports,
  setSdkStart,
  shared,
} from '../monitor/shared-thread.js';
import { importFromApplication, hasInstalledAnSdk, hasLoadedAnSdk } from './application-modules.js';
import { flushGlobalProviders, hasGlobalProviders } from './global-providers.js';
import { isSdkInjected, requireInjectedSdk } from './injected-sdk.js';
import { flushBeforeNaturalEnd } from './natural-end.js';
import { noticeFailedSdk, noticeMissingSdk } from './sdk-notices.js';
import { flushBeforeSignals } from './signals.js';

const now = performance.now.bind(performance);

const RETRY_MS = 20;
/** How long an application that has loaded an SDK may take to start it, in ms. */
const SDK_START_TIMEOUT_MS = 30_000;

interface Sdk {
  start(): void | Promise<void>;
  shutdown(): Promise<void>;
}

interface SdkOptions {
  readonly instrumentations: unknown[];
}

interface SdkModule {
  NodeSDK?: new (options: SdkOptions) => Sdk;
  /** These read `OTEL_CONFIG_FILE`, `NodeSDK` does not. The second is the name in SDK 2.x. */
  startNodeSdk?: StartSdk;
  startNodeSDK?: StartSdk;
}

type StartSdk = (options: SdkOptions) => Pick<Sdk, 'shutdown'>;

/**
 * Starts the instrumentation, and an SDK where the application does not start one. Once in a thread: `--require` in
 * `NODE_OPTIONS` and `--import` of the program load both formats.
 */
export function registerInstrumentation(): void {
  if (shared.isRegistered) return;
  shared.isRegistered = true;
  try {
    register();
  } catch (error) {
    attempt(() => {
      diag.error('Failed to register the instrumentation.', error);
    });
  }
}

function register(): void {
  const instrumentation = new EventLoopInstrumentation();
  if (isSdkDisabled() || isHooksThread || !canUnrefTimers) return;
  let presetSdk: Promise<void> | undefined;
  let startAtEnd: (() => void) | undefined;
  const isEndWatched = flushBeforeNaturalEnd(async () => {
    try {
      // Only where there is a block: a program that does nothing for long ends without the load of an SDK.
      if (startAtEnd && hasHeldBlock()) startAtEnd();
      if (presetSdk) await presetSdk; // it holds the reports while it loads
      instrumentation.flush();
      await flushGlobalProviders();
    } catch (error) {
      drop(error); // see `startPresetSdk`
    }
  });
  const registry = Registry.ofProcess();
  if (isMainThread) {
    startAtEnd = whenAppStarted(isEndWatched, () => {
      attempt(releaseWarnings); // of the SDK of the application
      if (hasGlobalProviders()) {
        releaseReports();
        storePresetSdk(registry, PresetSdk.none);
      } else presetSdk = startPresetSdk(instrumentation, registry);
    });
  } else {
    // A worker joins the SDK that it starts itself. It gets a preset SDK only where the main thread has one.
    whenAppStarted(
      isEndWatched,
      () => {
        const hasPresetSdk = Atomics.load(registry.ints, Header.ownSdk) === PresetSdk.started;
        if (!hasPresetSdk || hasGlobalProviders()) return;
        shared.hasPresetSdk = true;
        presetSdk = startPresetSdk(instrumentation, registry);
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
 * run. In the second case it also waits, for `SDK_START_TIMEOUT_MS` at most, until an SDK of the application has
 * started, and for `isDecided`. Returns a function for a program that ends before: it calls back then, where nothing but
 * an iteration of the loop is missing.
 */
function whenAppStarted(isEndWatched: () => boolean, callback: () => void, isDecided = () => true): () => void {
  const deadline = now() + SDK_START_TIMEOUT_MS;
  // An SDK is injected for applications without one. One that has a package of an SDK most likely starts it.
  const hasAnSdk = isSdkInjected() && hasInstalledAnSdk();
  const mayStartAnSdk = (): boolean => (hasAnSdk || hasLoadedAnSdk() || !isDecided()) && now() < deadline;
  let hasStarted = false;
  const start = guarded((): void => {
    if (hasStarted) return;
    if (isEndWatched()) {
      rootTimers.setTimeout(check, RETRY_MS);
      return;
    }
    hasStarted = true;
    callback();
  });
  const check = guarded((): void => {
    if (hasStarted) return;
    if (isMainThread && now() < deadline) holdReports();
    if (hasGlobalProviders()) start();
    else if (!isAppStarted() || mayStartAnSdk()) rootTimers.setTimeout(check, RETRY_MS);
    else rootTimers.setImmediate(start);
  });
  // Until an SDK has started, a block would have no provider. A worker needs none.
  if (isMainThread) holdReports();
  rootTimers.setImmediate(check);
  return () => {
    if (hasGlobalProviders() || !mayStartAnSdk()) start();
  };
}

/**
 * Loads and starts the SDK. The time that this takes is excluded: it is no block of the application. The excluded interval
 * begins with the start of the SDK: by that, the judgement knows it, and does not exclude what the application does
 * meanwhile. Does not reject.
 */
async function startPresetSdk(instrumentation: EventLoopInstrumentation, registry: Registry): Promise<void> {
  // One `try` around each whole asynchronous function here: where the application has broken promises, `await` itself
  // throws, and the promise of a function that rejects would end the process.
  try {
    const startedAt = now();
    setSdkStart({ start: startedAt, end: Infinity });
    const sdkPromise = loadAndStartSdk(startedAt);
    // A signal that arrives meanwhile is held until the SDK has started.
    const stopHoldingSignals = isMainThread
      ? flushBeforeSignals({
          flush: async () => {
            try {
              await sdkPromise;
              instrumentation.flush();
              await flushGlobalProviders();
            } catch (error) {
              drop(error);
            }
          },
          shutdown: async () => {
            try {
              const sdk = await sdkPromise;
              instrumentation.flush();
              await sdk?.shutdown();
            } catch (error) {
              drop(error);
            }
          },
        })
      : () => undefined;
    const sdk = await sdkPromise;
    releaseReports();
    attempt(releaseWarnings);
    void recordSdkStart(startedAt);
    if (sdk === undefined) {
      // None, or the application has started one meanwhile.
      shared.hasPresetSdk = false;
      stopHoldingSignals();
    }
    storePresetSdk(registry, sdk === undefined ? PresetSdk.none : PresetSdk.started);
  } catch (error) {
    drop(error);
    attempt(releaseReports);
  }
}

/** An SDK goes on to start after the call that starts it: it detects its resource. Does not reject. */
async function recordSdkStart(start: number): Promise<void> {
  try {
    await resourceDetected(globalTracerProvider());
  } catch (error) {
    drop(error);
  }
  attempt(() => {
    setSdkStart({ start, end: now() });
  });
}

/** Does not reject. */
async function loadAndStartSdk(startedAt: number): Promise<Pick<Sdk, 'shutdown'> | undefined> {
  try {
    excludeFrom(startedAt);
    const sdkModule = isSdkInjected()
      ? (requireInjectedSdk() as SdkModule)
      : await importFromApplication<SdkModule>('@opentelemetry/sdk-node');
    excludeSince(startedAt); // after each step: a block is judged soon after it has ended
    if (!sdkModule?.NodeSDK) {
      noticeMissingSdk(() => hasGlobalProviders() || hasSubscribers());
      return undefined;
    }
    const options = { instrumentations: await runtimeInstrumentations() };
    const startFromFile = process.env['OTEL_CONFIG_FILE']
      ? (sdkModule.startNodeSdk ?? sdkModule.startNodeSDK)
      : undefined;
    const sdk = startFromFile ? undefined : new sdkModule.NodeSDK(options);
    excludeSince(startedAt);
    if (hasGlobalProviders()) return undefined;
    holdStandardDescriptors(); // for the sockets of its exporters, which it opens at any time
    if (!sdk) return startFromFile?.(options);
    await sdk.start();
    return sdk;
  } catch (error) {
    attempt(() => {
      noticeFailedSdk(error);
    });
    return undefined;
  } finally {
    attempt(() => {
      excludeSince(startedAt);
    });
  }
}

/** OpenTelemetry's own instrumentation for `nodejs.eventloop.*` and `v8js.*`, where it is installed. */
async function runtimeInstrumentations(): Promise<unknown[]> {
  if (isSdkInjected()) return []; // it has its own
  const runtimeNode = await importFromApplication<{ RuntimeNodeInstrumentation?: new () => unknown }>(
    '@opentelemetry/instrumentation-runtime-node',
  );
  return runtimeNode?.RuntimeNodeInstrumentation ? [new runtimeNode.RuntimeNodeInstrumentation()] : [];
}

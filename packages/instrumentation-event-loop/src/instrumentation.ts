import { realpathSync } from 'node:fs';
import { performance } from 'node:perf_hooks';
import { isMainThread } from 'node:worker_threads';
import {
  diag,
  ROOT_CONTEXT,
  type Context,
  type ContextManager,
  type MeterProvider,
  type Tracer,
  type TracerProvider,
} from '@opentelemetry/api';
import { InstrumentationBase } from '@opentelemetry/instrumentation';
import { loadDeferred } from 'virtual:deferred';
import { resolveConfig, type ResolvedConfig } from './config/resolve-config.js';
import { rootTimers } from './detection/root-timers.js';
import { epochNow } from './contract/clock.js';
import { Reflect } from './contract/built-ins.js';
import { attempt } from './contract/guard.js';
import { isFileUrl } from './contract/file-url.js';
import type { HangDestination } from './contract/hang-report.js';
import type { LivenessSettings } from './contract/liveness-data.js';
import type { Block } from './contract/model.js';
import { registered } from './contract/registered-api.js';
import { withoutConstructor } from './contract/without-constructor.js';
import type { BlockChannel } from './export/block-channel.js';
import type { BlockReporter } from './export/block-reporter.js';
import { wantsHangs } from './export/channels.js';
import type { BusyTimeReporter } from './export/busy-time-reporter.js';
import { claimReport } from './export/claim-report.js';
import { formatLocation } from './export/code-location.js';
import { isHooksThread } from './contract/hooks-thread.js';
import type { HeldSpans } from './export/held-spans.js';
import type { NamedWindow, RelayedWindow } from './export/named-window.js';
import { createContextReader } from './export/context-reader.js';
import { EventLoopMetrics, liveMeterProvider } from './export/metrics.js';
import { requestNameOf } from './export/request-name.js';
import { callStartUpHook } from './export/start-up-hook.js';
import { threadOpenSpans } from './export/thread-open-spans.js';
import type { ThreadPoolReporter } from './export/thread-pool-reporter.js';
import { isNoopTracerProvider, isSdkDisabled, liveTracerProvider } from './export/tracer-provider.js';
import { releaseWarnings, warn } from './monitor/late-warnings.js';
import { isPackageManager } from './monitor/package-manager.js';
import { joinThreadMonitor } from './monitor/shared-monitor.js';
import { flushThreadMonitor, relayBlock, shared, threadGroups } from './monitor/shared-thread.js';
import type { Subscriber, SubscriberSettings } from './monitor/subscribers.js';
import { SCOPE_NAME } from './semconv.js';
import type { EventLoopInstrumentationConfig } from './types.js';
import { PACKAGE_VERSION } from './version.js';

/**
 * Finds what blocks the event loop. It reports each block as an `event-loop-blocked` span in the trace of the blocking
 * code, and records the metrics `event_loop.lag`, `event_loop.blocked.duration` and `event_loop.blocked.run_queue_time`.
 *
 * ```ts
 * new NodeSDK({ instrumentations: [new EventLoopInstrumentation()] }).start();
 * ```
 *
 * @throws TypeError or RangeError for options that are invalid or conflict with each other. An invalid environment
 * variable is reported once through `diag`, and its default applies.
 */
export class EventLoopInstrumentation extends InstrumentationBase<EventLoopInstrumentationConfig> {
  static {
    // What `super()` calls. The base class's own constructor wraps `require` of the whole program as soon as one
    // instrumentation exists, also one that patches no module. What is required from then on cannot be patched by an
    // instrumentation that is created later: with `/register` before an SDK 2.x of the program, its exporter requires
    // `http` before its instrumentation of `http` exists, and no request would have a span.
    Reflect.setPrototypeOf(this, withoutConstructor(InstrumentationBase));
  }

  // Declared without initialisers: `super()` calls `setConfig()`, and initialisers run after that and would overwrite
  // what it has set.
  declare private resolved: ResolvedConfig;
  /** Undefined while disabled. */
  declare private leaveMonitor: (() => void) | undefined;
  declare private configuredTracerProvider: TracerProvider | undefined;
  declare private configuredMeterProvider: MeterProvider | undefined;

  constructor(config: EventLoopInstrumentationConfig = {}) {
    super(SCOPE_NAME, PACKAGE_VERSION, config);
    this.enable();
  }

  /** There is nothing to patch: the event loop is observed, not wrapped. */
  protected override init(): undefined {
    return undefined;
  }

  override setConfig(config: EventLoopInstrumentationConfig = {}): void {
    const resolved = resolveConfig(config, process.env, warn);
    super.setConfig(config);
    this.resolved = resolved;
    if (this.leaveMonitor === undefined) return;
    this.disable();
    this.enable();
  }

  override setTracerProvider(tracerProvider: TracerProvider): void {
    super.setTracerProvider(tracerProvider);
    this.configuredTracerProvider = tracerProvider;
    attempt(releaseWarnings);
  }

  override setMeterProvider(meterProvider: MeterProvider): void {
    super.setMeterProvider(meterProvider);
    this.configuredMeterProvider = meterProvider;
    attempt(releaseWarnings);
  }

  /** Starts to monitor this thread. Idempotent; does nothing with `enabled: false` or `OTEL_SDK_DISABLED=true`. */
  override enable(): void {
    // `NodeSDK` enables every instrumentation, also one that was created with `enabled: false`.
    if (this.leaveMonitor !== undefined || !this.resolved.enabled || isSdkDisabled() || isHooksThread) return;
    const metrics = new EventLoopMetrics(this.resolved.captureStacks, threadGroups);
    const contexts = createContextReader({
      active: (isBlocked) => this.activeContext(isBlocked),
      requestKey: (of) => this.requestKey(of),
    });
    const exporting = exportingFor(this.resolved);
    try {
      const leave = joinThreadMonitor(this.subscriber(this.resolved, metrics, exporting.made), contexts);
      this.leaveMonitor = () => {
        attempt(leave);
        attempt(() => {
          metrics.close();
        });
        attempt(exporting.close);
      };
    } catch (error) {
      attempt(() => {
        diag.error('Failed to start monitoring the event loop.', error);
      });
    }
  }

  /** Whether it monitors this thread. */
  override isEnabled(): boolean {
    return this.leaveMonitor !== undefined;
  }

  /** Flushes pending blocks and stops. Idempotent. */
  override disable(): void {
    this.leaveMonitor?.();
    this.leaveMonitor = undefined;
  }

  /**
   * Reports at once the blocks that have ended and are still pending, and a block that lasts as far as it goes. For use
   * before the process exits or is frozen.
   */
  flush(): void {
    attempt(flushThreadMonitor);
  }

  /**
   * The context of the code that runs now, which `BlockInfo.context` returns. Called inside blocked code, which it
   * interrupts at any point: an override must be fast, must not throw and must not call code of the application. Where
   * `isBlocked` is false, the code is only asked at random what it does: what makes the process slower from then on, such
   * as the first `executionAsyncResource()`, must wait for a block.
   */
  protected activeContext(_isBlocked: boolean): Context {
    return (registered('context') as ContextManager | undefined)?.active() ?? ROOT_CONTEXT;
  }

  /**
   * Name of the request in the context: that of its SERVER or CONSUMER span, with the route or the path. A hang report
   * contains it. Called inside blocked code, so what `activeContext()` says of an override holds here, too.
   */
  protected requestName(of: Context): string | undefined {
    return requestNameOf(of);
  }

  /**
   * Names of the requests that are not answered yet, each as often as there are such requests: those of the open SERVER and
   * CONSUMER spans where `EventLoopSpanProcessor` is registered. Called where a task waits for libuv's thread pool.
   */
  protected openRequestNames(): readonly string[] {
    return loadDeferred().openRequestNames(threadOpenSpans, performanceNow());
  }

  /**
   * Identifies the request in a context without a span, compared with `===`. The time of a block is added up for each
   * request. Undefined by default: all time outside of any span counts as one request.
   */
  protected requestKey(_of: Context): unknown {
    return undefined;
  }

  /**
   * Whether the watchdog starts as soon as the entry point has been evaluated, also where nothing keeps the program alive:
   * only promise jobs are left then, if any. False by default, because most such programs end at once.
   */
  protected isWatchedToEnd(): boolean {
    return false;
  }

  /**
   * Called with what the instrumentation cannot do in this process and what follows from it, in one sentence, once for each
   * such problem. Logs it through `diag` by default. An override must not throw.
   */
  protected reportProblem(problem: string): void {
    diag.warn(problem);
  }

  /**
   * Whether a worker thread has its blocks reported by the main thread: without an SDK, and with the one that this package
   * has started, as in the main thread. A pool worker that sleeps between its tasks would export nothing, and what waits
   * for its export is lost when it is terminated.
   */
  private leavesReportsToMainThread(tracing: TracerProvider): boolean {
    const usesPresetSdk = shared.hasPresetSdk === true && this.configuredTracerProvider === undefined;
    return usesPresetSdk || isNoopTracerProvider(tracing);
  }

  private providers(): { readonly tracing: TracerProvider; readonly metering: MeterProvider } {
    return {
      tracing: liveTracerProvider(this.configuredTracerProvider),
      metering: liveMeterProvider(this.configuredMeterProvider),
    };
  }

  private subscriber(config: ResolvedConfig, metrics: EventLoopMetrics, exporting: () => Exporting): Subscriber {
    const hangDestination = this.hangDestinationReader(config);
    return {
      ...subscriberSettings(config),
      isWatchedToEnd: this.isWatchedToEnd(),
      onBlock: (block) => {
        this.reportBlock(block, exporting(), metrics, config);
      },
      relay: (block) => {
        if (claimReport(block, RELAY)) relayBlock({ ...loadDeferred().toRelayed(block), isPublished: false });
      },
      onRelayedBlock: (message) => {
        this.reportRelayed(message, exporting(), metrics);
      },
      onBusyWindow: (busyWindow) => {
        const { namedWindow, servedRequestOf } = loadDeferred();
        const window = namedWindow(busyWindow, config.captureStacks, {
          servedRequestOf,
          requestNameOf: (of) => this.requestName(of),
        });
        this.reportBusyWindow(window, busyWindow, exporting().busyTime);
      },
      onFlush: () => {
        exporting().busyTime.settle();
        exporting().heldSpans.flush();
      },
      onStartUp: (startUp) => {
        callStartUpHook(config.startUpHook, startUp);
      },
      onLag: (lags) => {
        const { metering } = this.providers();
        if (claimReport(lags, metering)) metrics.recordLags(metering, lags.lagsMs, lags.threadName);
      },
      onProblem: (message) => {
        this.reportProblem(message);
      },
      hangReport: (block) => {
        const { target, resource } = hangDestination() ?? { target: null, resource: {} };
        return loadDeferred().hangReportOf(block, config.captureStacks, target, resource, (of) => this.requestName(of));
      },
      wantsHangNotices: wantsHangs,
      onHang: (notice) => {
        exporting().channel.publishHang(notice);
      },
      onPoolReadings: (readings) => {
        exporting().threadPool.record(this.providers().metering, readings);
      },
      openRequests: () => {
        const names = config.threadPool ? this.openRequestNames() : [];
        return names.length > 0 ? loadDeferred().frequentNames(names) : undefined;
      },
      onPoolStarvation: (starvation) => {
        const { threadPool } = exporting();
        threadPool.publish(starvation, epochNow() - performanceNow());
        threadPool.reportStarvation(this.providers().tracing, starvation);
      },
      hangDestination,
      livenessCulprit: (block) => {
        const { culprit } = config.livenessPort === 0 ? {} : loadDeferred().blockInfo(block, config.captureStacks, 0);
        return culprit && formatLocation(culprit);
      },
    };
  }

  private reportBlock(
    block: Block,
    { reporter, channel }: Exporting,
    metrics: EventLoopMetrics,
    { blockHook }: ResolvedConfig,
  ): void {
    const isPublished = channel.publish(block);
    const { tracing, metering } = this.providers();
    // A hook of this thread is called here, with or without an SDK.
    if (!isMainThread && blockHook === undefined && this.leavesReportsToMainThread(tracing)) {
      if (claimReport(block, RELAY)) relayBlock({ ...loadDeferred().toRelayed(block), isPublished });
      return;
    }
    if (claimReport(block, metering)) metrics.recordBlock(metering, block);
    if (claimReport(block, tracing)) reporter.report(block, tracerOf(tracing), threadOpenSpans);
  }

  /** Reports a block or a window of a worker thread. */
  private reportRelayed(message: unknown, exporting: Exporting, metrics: EventLoopMetrics): void {
    if (isRelayedWindow(message)) {
      const window = loadDeferred().fromRelayedWindow(message);
      this.reportBusyWindow(window, message, exporting.busyTime, message.isPublished);
      return;
    }
    const { reporter, channel } = exporting;
    const { tracing, metering } = this.providers();
    const isUnclaimed = claimReport(message as object, tracing);
    const block = loadDeferred().fromRelayed(message);
    const { isPublished } = message as { readonly isPublished: boolean };
    if (!isPublished) channel.publish(block);
    if (claimReport(message as object, metering)) metrics.recordBlock(metering, block);
    // Spans of this thread have not waited for the worker.
    if (isUnclaimed) reporter.report(block, tracerOf(tracing), []);
  }

  /** `event` is the same object for all instrumentations of the thread. */
  private reportBusyWindow(window: NamedWindow, event: object, busyTime: BusyTimeReporter, wasPublished = false): void {
    const isPublished = wasPublished || busyTime.publish(window, epochNow() - performanceNow(), event);
    const { tracing, metering } = this.providers();
    if (!isMainThread && this.leavesReportsToMainThread(tracing)) {
      if (claimReport(event, RELAY)) relayBlock(loadDeferred().toRelayedWindow(window, isPublished));
      return;
    }
    busyTime.record(metering, tracing, window, event);
  }

  /**
   * Returns a function that reads where the watchdog reports for this thread. It reads the environment when the watchdog
   * starts, and again when an SDK has started: the application, or who injects the SDK, may set its variables just before.
   */
  private hangDestinationReader({
    hangExporter,
    hangThresholdMs,
    exporterVariables,
  }: ResolvedConfig): () => HangDestination | undefined {
    if (hangThresholdMs === 0 && !isFileUrl(hangExporter?.url)) return () => undefined;
    let hasWarned = false;
    const warn = (message: string): void => {
      if (!hasWarned) diag.warn(message);
      hasWarned = true;
    };
    let provider: TracerProvider | undefined;
    let destination: HangDestination | undefined;
    return () => {
      const current = liveTracerProvider(this.configuredTracerProvider);
      if (current === provider) return destination;
      provider = current;
      const { resolveTarget, resourceFromEnvironment, resourceOf } = loadDeferred();
      const env = { ...process.env, ...exporterVariables };
      const target = resolveTarget({ hangExporter, env, warn });
      destination = target && { target, resource: { ...resourceFromEnvironment(env), ...resourceOf(current) } };
      return destination;
    };
  }
}

const performanceNow = performance.now.bind(performance);

/** What reports blocks and the thread pool of one subscriber. */
interface Exporting {
  readonly reporter: BlockReporter;
  readonly channel: BlockChannel;
  readonly threadPool: ThreadPoolReporter;
  readonly busyTime: BusyTimeReporter;
  readonly heldSpans: HeldSpans;
}

/** It is made with the first report. */
function exportingFor(config: ResolvedConfig): { readonly made: () => Exporting; readonly close: () => void } {
  let exporting: Exporting | undefined;
  const made = (): Exporting => {
    if (exporting === undefined) {
      const { BlockChannel, BlockReporter, BusyTimeReporter, HeldSpans, ThreadPoolReporter } = loadDeferred();
      const heldSpans = new HeldSpans(rootTimers.setTimeout);
      exporting = {
        reporter: new BlockReporter(config, heldSpans),
        channel: new BlockChannel(config.captureStacks, performanceNow, epochNow),
        threadPool: new ThreadPoolReporter(heldSpans),
        busyTime: new BusyTimeReporter(config.captureStacks, heldSpans),
        heldSpans,
      };
    }
    return exporting;
  };
  return {
    made,
    close: () => {
      exporting?.busyTime.settle();
      exporting?.threadPool.close();
      exporting?.heldSpans.flush();
    },
  };
}

function isRelayedWindow(message: unknown): message is RelayedWindow {
  return typeof message === 'object' && message !== null && 'busyWindow' in message;
}

/** What a block is claimed to that another thread reports. */
const RELAY = {};

function tracerOf(provider: TracerProvider): Tracer {
  return provider.getTracer(SCOPE_NAME, PACKAGE_VERSION);
}

function subscriberSettings(config: ResolvedConfig): SubscriberSettings {
  return {
    blockedThresholdMs: config.blockedThresholdMs,
    hangThresholdMs: config.hangThresholdMs,
    soFarThresholdMs: isFileUrl(config.hangExporter?.url) ? config.blockedThresholdMs : Infinity,
    sampleIntervalMs: config.sampleIntervalMs,
    watchdog: config.watchdog,
    countsStartUp: config.countStartUp,
    liveness: livenessSettings(config),
    threadPool: config.threadPool,
    // Without stacks, no code is named.
    sourceMaps: config.sourceMaps && config.captureStacks,
    busySamplesPerSecond: config.busySamplesPerSecond,
  };
}

function livenessSettings({
  livenessPort: port,
  livenessHost: host,
  livenessThresholdMs,
  readinessThresholdMs,
}: ResolvedConfig): LivenessSettings | undefined {
  if (port === 0 || isPackageManager(process.argv[1], realpathSync)) return undefined;
  return { host, port, livenessThresholdMs, readinessThresholdMs };
}

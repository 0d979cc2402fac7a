import { context, diag, type MeterProvider, type TracerProvider } from '@opentelemetry/api';
import { InstrumentationBase } from '@opentelemetry/instrumentation';
import { resolveConfig, type ResolvedConfig } from './config.js';
import type { Block } from './model.js';
import { isClaimed } from './once.js';
import { BlockReporter } from './reporting/block-reporter.js';
import { EventLoopMetrics, liveMeterProvider } from './reporting/metrics.js';
import { liveTracerProvider } from './reporting/tracer.js';
import { SCOPE_NAME } from './semconv.js';
import { flushThreadMonitor, joinThreadMonitor } from './shared-monitor.js';
import type { Lags, Subscriber } from './thread-monitor.js';
import type { EventLoopInstrumentationConfig } from './types.js';
import { PACKAGE_VERSION } from './version.js';

/**
 * Finds what blocks the event loop: `event-loop-blocked` spans inside the traces that blocked, `event_loop.lag` and
 * `event_loop.blocked.duration`.
 *
 * ```ts
 * new NodeSDK({ instrumentations: [new EventLoopInstrumentation()] }).start();
 * ```
 *
 * @throws TypeError or RangeError for options that are wrong or go against each other; a wrong environment variable is
 * reported once through `diag`, and its default holds.
 */
export class EventLoopInstrumentation extends InstrumentationBase<EventLoopInstrumentationConfig> {
  // The base class calls `setConfig()` and `enable()` before field initialisers run, which would then wipe what those
  // have set: declared only.
  declare private resolved: ResolvedConfig;
  declare private leave: (() => void) | undefined;
  declare private setTracing: TracerProvider | undefined;
  declare private setMetering: MeterProvider | undefined;

  constructor(config: EventLoopInstrumentationConfig = {}) {
    super(SCOPE_NAME, PACKAGE_VERSION, config);
  }

  /** Nothing to patch: the event loop is observed, not wrapped. */
  protected override init(): undefined {
    return undefined;
  }

  override setConfig(config: EventLoopInstrumentationConfig = {}): void {
    const resolved = resolveConfig(config);
    super.setConfig(config);
    this.resolved = resolved;
    if (this.leave === undefined) return;
    this.disable();
    this.enable();
  }

  override setTracerProvider(tracerProvider: TracerProvider): void {
    super.setTracerProvider(tracerProvider);
    this.setTracing = tracerProvider;
  }

  override setMeterProvider(meterProvider: MeterProvider): void {
    super.setMeterProvider(meterProvider);
    this.setMetering = meterProvider;
  }

  /** Starts watching this thread. Idempotent; does nothing with `enabled: false` or `OTEL_SDK_DISABLED=true`. */
  override enable(): void {
    // `NodeSDK` enables whatever it is given, also what was made with `enabled: false`.
    if (this.leave !== undefined || !this.resolved.enabled || isSdkDisabled()) return;
    this.leave = joinThreadMonitor(this.subscriber(this.resolved), () => context.active());
  }

  /** Tells what is known of the last blocks and stops watching. Idempotent. */
  override disable(): void {
    this.leave?.();
    this.leave = undefined;
  }

  /** Tells at once the blocks that have ended and wait for their verdict, for use before an exit. */
  flush(): void {
    flushThreadMonitor();
  }

  private subscriber(config: ResolvedConfig): Subscriber {
    const reporter = new BlockReporter(config);
    const metrics = new EventLoopMetrics(config.captureStacks);
    return {
      blockedThresholdMs: config.blockedThresholdMs,
      hangThresholdMs: config.hangThresholdMs,
      sampleIntervalMs: config.sampleIntervalMs,
      watchdog: config.watchdog,
      onBlock: (block: Block) => {
        const tracing = liveTracerProvider(this.setTracing);
        const metering = liveMeterProvider(this.setMetering);
        if (!isClaimed(block, metering)) metrics.recordBlock(metering, block);
        if (!isClaimed(block, tracing)) reporter.report(block, tracing.getTracer(SCOPE_NAME, PACKAGE_VERSION));
      },
      onLag: (lags: Lags) => {
        const metering = liveMeterProvider(this.setMetering);
        if (!isClaimed(lags, metering)) metrics.recordLags(metering, lags.lagsMs, lags.threadName);
      },
      onProblem: (message) => {
        diag.warn(message);
      },
    };
  }
}

function isSdkDisabled(): boolean {
  return process.env['OTEL_SDK_DISABLED']?.trim().toLowerCase() === 'true';
}

import path from 'node:path';
import process from 'node:process';
import { setTimeout } from 'node:timers';
import { isMainThread, threadId } from 'node:worker_threads';

import { type ChannelConfig, ENV_RUN_DIRECTORY, HEADER_PROCESS } from '../channel/contract.js';
import { type Channel, openChannel } from '../channel/writer.js';
import { evaluatesText } from '../model/processes/public-command.js';
import type { Instance } from '../model/types.js';
import { uncurryThis } from './built-ins.js';
import { attempt, guarded, ownListener } from './guard.js';
import { onlyChecksSyntax, optionThatPrintsCalls, printsVariables } from './node-output.js';
import { nonRecordingTracerProvider } from './non-recording-tracer.js';
import { blockFromInfo } from './records/block.js';
import { watchBusyTime } from './records/busy-time.js';
import { createLagMeterProvider } from './records/lag-meter.js';
import { noteStartedWorkers } from './records/started-workers.js';
import { watchThreadPool } from './records/thread-pool.js';
import { RequestAwareInstrumentation } from './requests/request-aware-instrumentation.js';
import { trackRequests } from './requests/track-requests.js';
import { unrefTimer } from './unref.js';

// eslint-disable-next-line @typescript-eslint/unbound-method -- `uncurryThis` gives it its `this`
const off = uncurryThis(process.off as (this: NodeJS.Process, event: string, listener: () => void) => unknown);
const STARTED = Symbol.for('loopwatch.run.started');
/** In effect no rate limit: `loopwatch run` limits the blocks that it keeps. */
const SPANS_PER_MINUTE = 100_000;
/** A run is short: a hundred answers in five seconds of a busy loop. The default of a service needs 20 seconds. */
const BUSY_SAMPLES_PER_SECOND = 20;

/** Instruments this thread if `loopwatch run` has started the program. Blocks and lag go to the channel. */
export function startInstrumentation(): void {
  if (printsVariables(process.execArgv)) return;
  const directory = process.env[ENV_RUN_DIRECTORY];
  if (directory === undefined || directory === '' || Reflect.has(globalThis, STARTED)) return;
  // Configurable: a program may delete all that it finds there.
  Reflect.defineProperty(globalThis, STARTED, { value: true, configurable: true });

  const option = optionThatPrintsCalls(process.execArgv, process.env.NODE_OPTIONS);
  if (option !== undefined) {
    // In the main thread, Node.js prints nothing before the loop begins.
    if (isMainThread) writeUnwatched(openChannel(directory), option);
    return;
  }
  let stop = (): void => undefined;
  const channel = openChannel(directory, () => {
    leaveAfterEnd(stop);
  });
  if (onlyChecksSyntax(process.execArgv)) writeChecked(channel);
  else stop = instrumentWithWorkers(channel);
}

/** Its worker threads load the preload themselves. Those that do not are to be named. */
function instrumentWithWorkers(channel: Channel): () => void {
  const instance = String(process.pid);
  if (!isMainThread) channel.write({ type: 'workerWatched', instance, threadId });
  const stopWatching = instrument(channel);
  const stopNoting = noteStartedWorkers((worker) => {
    channel.write({ type: 'workerStarted', instance, threadId: worker });
  });
  return () => {
    stopNoting();
    stopWatching();
  };
}

function writeChecked({ config, write }: Channel): void {
  const instance = instanceOfProcess(config);
  write({ type: 'process', process: instance });
  write({ type: 'end', instance: instance.id, threadId });
}

/** A daemon outlives `loopwatch run`: it is no longer watched, and `loopwatch attach` can watch it. */
function leaveAfterEnd(stop: () => void): void {
  // Not from within the report of a block.
  const leave = guarded(() => {
    stop();
    Reflect.deleteProperty(globalThis, STARTED);
  });
  unrefTimer(setTimeout(leave, 0));
}

function writeUnwatched({ config, write }: Channel, option: string): void {
  const { command = process.argv0 } = instanceOfProcess(config);
  write({ type: 'unwatched', process: { pid: process.pid, command, reason: 'shown_by_node', option } });
}

/** Reports the blocks and the lag of this thread to the channel. Returns a function that stops it and flushes. */
export function instrument({ config, url, write }: Channel): () => void {
  const instance = instanceOfProcess(config);
  if (isMainThread) write({ type: 'process', process: instance });

  const stopTracking = trackRequests();
  const lag = createLagMeterProvider(instance.id, write);
  const stopWatchingPool = watchThreadPool(instance.id, (wait) => {
    write({ type: 'threadPool', wait });
  });
  const stopWatchingBusyTime = watchBusyTime(instance.id, (period) => {
    write({ type: 'busy', period });
  });
  const instrumentationOptions = {
    isWatchedToEnd: config.endsBlocked === true,
    onProblem: (text: string) => {
      write({ type: 'problem', problem: { instance: instance.id, text } });
    },
  };
  const instrumentation: RequestAwareInstrumentation = withSdkEnabled(
    () =>
      new RequestAwareInstrumentation(instrumentationOptions, {
        enabled: false,
        blockedThresholdMs: config.thresholdMs,
        spansPerMinute: SPANS_PER_MINUTE,
        ...(isRateSet() ? {} : { busySamplesPerSecond: BUSY_SAMPLES_PER_SECOND }),
        hangExporter: { url, headers: { [HEADER_PROCESS]: instance.id } },
        countStartUp: config.countsStartUp,
        startUpHook: (startUp) => {
          write({ type: 'startUp', startUp: { ...startUp, instance: instance.id } });
        },
        blockHook: (_span, block) => {
          write({
            type: 'block',
            block: blockFromInfo(block, instance.id, instrumentation.requestName(block.context)),
          });
        },
      }),
  );
  // Separate providers: the program's own SDK receives none of these spans and metrics.
  instrumentation.setTracerProvider(nonRecordingTracerProvider);
  instrumentation.setMeterProvider(lag.provider);
  withSdkEnabled(() => {
    instrumentation.setConfig({ ...instrumentation.getConfig(), enabled: true });
    instrumentation.enable();
  });
  const stop = (): void => {
    attempt(() => off(process, 'exit', onExit));
    // This also reports a block during which the program exits. It does not throw.
    instrumentation.disable();
    attempt(stopTracking);
    attempt(stopWatchingPool);
    attempt(stopWatchingBusyTime);
    attempt(() => {
      lag.flush();
    });
    write({ type: 'end', instance: instance.id, threadId });
  };
  const onExit = ownListener(stop);
  process.on('exit', onExit);
  return stop;
}

function instanceOfProcess({ withArguments }: ChannelConfig): Instance {
  const script = scriptOfProcess();
  const words = withArguments ? [...process.execArgv, ...process.argv.slice(1)] : [script ?? []].flat();
  return {
    id: String(process.pid),
    service: script === undefined ? 'node' : path.basename(script),
    label: `pid ${process.pid}`,
    pid: process.pid,
    command: [process.argv0, ...words].join(' '),
    ...(process.execArgv.includes('--enable-source-maps') && { sourceMaps: true }),
  };
}

/** The user's own rate is one for `loopwatch run`, too. */
function isRateSet(): boolean {
  return (process.env.LOOPWATCH_BUSY_SAMPLES_PER_SECOND ?? '') !== '';
}

/** Without one, the first argument of the program, which may be a secret, is in its place. */
function scriptOfProcess(): string | undefined {
  const script: unknown = process.argv[1];
  return typeof script !== 'string' || script === '-' || evaluatesText(process.execArgv) ? undefined : script;
}

/** `OTEL_SDK_DISABLED` is meant for the program's own telemetry, not for `loopwatch run`. */
function withSdkEnabled<T>(create: () => T): T {
  const disabled = process.env.OTEL_SDK_DISABLED;
  if (disabled === undefined) return create();
  delete process.env.OTEL_SDK_DISABLED;
  try {
    return create();
  } finally {
    process.env.OTEL_SDK_DISABLED = disabled;
  }
}

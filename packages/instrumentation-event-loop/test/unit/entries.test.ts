import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from '@jest/globals';

/*
 * Every function that Node.js, the SDK or the application calls in the application's threads is guarded: what it throws
 * would end the application. ESLint refuses one that is written where it is handed over; those that are handed over by name
 * are listed here: each is made by `guarded`, `ownListener` or `listenToProcess`, or guards itself. A new line in the list is
 * to be reviewed for that. Two are not guarded, because they must not be: `held-signals.ts` and
 * `natural-end.ts` call the application's own listeners.
 */

const instrumentation = path.join(import.meta.dirname, '../../src');
const preload = path.join(import.meta.dirname, '../../../cli/src/preload');
/** Threads of their own, in which no code of the application runs. */
const OTHER_THREADS = ['watchdog', 'liveness'];

const TIMER = /\b(?:set(?:Timeout|Interval|Immediate)|rearmImmediate|queueMicrotask|nextTick|runMicrotask)\(([^,)]*)/;
const SUBSCRIPTION =
  /(?:\bsubscribe|\bpromiseThen|listenToProcess|\.(?:on|once|addListener|prependListener|onEvent|addCallback|addBatchObservableCallback))\(([^)]*)/;
const ASSIGNED = /\.on[a-z]+ = (.*)/;
const ASYNCHRONOUS = /\basync (?:function )?(\w*)/;
const ENTRIES = [TIMER, SUBSCRIPTION, ASSIGNED, ASYNCHRONOUS];

function entriesOf(directory: string): string[] {
  return readdirSync(directory, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !OTHER_THREADS.includes(file.split(path.sep)[0]!))
    .sort()
    .flatMap((file) => entriesIn(file, readFileSync(path.join(directory, file), 'utf8')));
}

function entriesIn(file: string, text: string): string[] {
  return text
    .split('\n')
    .filter(
      (line) =>
        !/^\s*(?:\*|\/)|^export (?:async )?function (?:promiseThen|listenToProcess)|^function runMicrotask/.test(line),
    )
    .flatMap((line) => ENTRIES.flatMap((pattern) => pattern.exec(line)?.[0].trim() ?? []))
    .map((entry) => `${file.split(path.sep).join('/')}: ${entry}`);
}

test('each function of the instrumentation that Node.js or the SDK calls has been reviewed', () => {
  expect(entriesOf(instrumentation)).toMatchInlineSnapshot(`
    [
      "contract/frame-origin.ts: async function",
      "contract/frames.ts: async",
      "contract/frames.ts: async",
      "contract/own-listeners.ts: listenToProcess('newListener', (event: string | symbol, added: unknown",
      "contract/own-listeners.ts: nextTick(restore",
      "contract/own-listeners.ts: nextTick(",
      "contract/unref.ts: setTimeout((",
      "contract/unref.ts: setImmediate((",
      "detection/entry-point.ts: promiseThen(settled, guarded(callback",
      "detection/entry-point.ts: listenToProcess('removeListener', (event: string | symbol, listener: unknown",
      "detection/entry-point.ts: subscribe(IMPORT_START, onImportStart",
      "detection/entry-point.ts: subscribe(IMPORT_END, onImportEnd",
      "detection/entry-point.ts: runMicrotask((",
      "detection/entry-point.ts: runMicrotask((",
      "detection/heartbeat.ts: setInterval(this.#onTimer",
      "detection/root-timers.ts: setImmediate(callback",
      "detection/root-timers.ts: setInterval(callback",
      "detection/root-timers.ts: setTimeout(callback",
      "detection/root-timers.ts: setImmediate(callback",
      "detection/root-timers.ts: setImmediate(onRequestedIteration",
      "detection/ticks.ts: setImmediate(this.#onTick",
      "detection/ticks.ts: setInterval(this.#onTick",
      "detection/ticks.ts: rearmImmediate(this.#onTick",
      "export/block-info.ts: async",
      "export/call-hook.ts: promiseThen(result, undefined, reportError",
      "export/metrics.ts: .addBatchObservableCallback(observe, observed",
      "export/resource.ts: async function resourceDetected",
      "export/thread-pool-reporter.ts: .addCallback(observe",
      "monitor/block-relay.ts: .on('message', listener",
      "monitor/block-relay.ts: .onmessage = guarded((event: unknown) => {",
      "monitor/judging.ts: setTimeout(this.#judgeDue",
      "monitor/judging.ts: setTimeout(this.#judgeDue",
      "monitor/judging.ts: setTimeout(this.#judgeDue",
      "monitor/repeat-termination.ts: promiseThen(exited, onExit, onExit",
      "monitor/repeat-termination.ts: setTimeout(repeat",
      "monitor/replaced-process.ts: setImmediate(",
      "monitor/replaced-process.ts: subscribe(CHANNEL, onExecve",
      "monitor/shared-monitor.ts: subscribe(subscriber",
      "monitor/start-watchdog.ts: .once('online', guarded(release",
      "monitor/start-watchdog.ts: .on(",
      "monitor/start-watchdog.ts: .on(",
      "monitor/start-watchdog.ts: .on('message', onMessage",
      "monitor/thread-blocks.ts: setTimeout(callback",
      "monitor/thread-ends.ts: listenToProcess('exit', this.#onExit",
      "monitor/thread-ends.ts: listenToProcess('beforeExit', this.#onBeforeExit",
      "monitor/thread-monitor.ts: listenToProcess('worker', this.#onWorker",
      "monitor/thread-monitor.ts: subscribe(subscriber: Subscriber",
      "monitor/worker-threads.ts: listenToProcess('worker', this.#onWorker",
      "probe/stack-capture.ts: async",
      "registration/application-modules.ts: async function importFromApplication",
      "registration/application-modules.ts: async function load",
      "registration/global-providers.ts: async function flushGlobalProviders",
      "registration/global-providers.ts: async function flush",
      "registration/held-signals.ts: async",
      "registration/held-signals.ts: setTimeout(this.#deliver",
      "registration/natural-end.ts: setImmediate(",
      "registration/natural-end.ts: async function exportBefore",
      "registration/register-instrumentation.ts: async",
      "registration/register-instrumentation.ts: setTimeout(check",
      "registration/register-instrumentation.ts: setTimeout(check",
      "registration/register-instrumentation.ts: setImmediate(start",
      "registration/register-instrumentation.ts: setImmediate(check",
      "registration/register-instrumentation.ts: async function startPresetSdk",
      "registration/register-instrumentation.ts: async",
      "registration/register-instrumentation.ts: async",
      "registration/register-instrumentation.ts: async function recordSdkStart",
      "registration/register-instrumentation.ts: async function loadAndStartSdk",
      "registration/register-instrumentation.ts: async function runtimeInstrumentations",
      "registration/running-limit.ts: setTimeout((",
      "registration/sdk-notices.ts: setTimeout(notice",
      "registration/sdk-notices.ts: listenToProcess('exit', notice",
      "registration/signals.ts: listenToProcess('removeListener', onListenerRemoved",
      "registration/signals.ts: setTimeout(callback",
    ]
  `);
});

test('each function of the preload that Node.js or the program calls has been reviewed', () => {
  expect(entriesOf(preload)).toMatchInlineSnapshot(`
    [
      "attach/agent.ts: setTimeout(guarded(this.#watch",
      "attach/agent.ts: setTimeout(stop",
      "attach/agent.ts: .once('connect', onConnect",
      "attach/agent.ts: .once('data', onGreeting",
      "attach/agent.ts: .on('error', (",
      "attach/agent.ts: .once('end', stop",
      "attach/agent.ts: .once('close', stop",
      "attach/agent.ts: setTimeout(guarded(closeRecords",
      "attach/agent.ts: .once('exit', listener",
      "attach/attached-workers.ts: .onEvent('NodeWorker.attachedToWorker', ({ params }",
      "attach/attached-workers.ts: .onEvent('NodeWorker.detachedFromWorker', ({ params }",
      "attach/attached-workers.ts: setTimeout(guarded(callback",
      "attach/registry-handover.ts: .on('message', listener",
      "attach/registry-handover.ts: .onmessage = guarded((event: unknown) => {",
      "attach/task-queue.ts: setTimeout(guarded(done",
      "attach/task-queue.ts: setTimeout(guarded(start",
      "attach/worker-evaluation.ts: .onEvent('NodeWorker.receivedMessageFromWorker', ({ params }",
      "attach/worker-session.ts: .on(event, guarded(listener",
      "records/busy-time.ts: subscribe(CHANNEL, onMessage",
      "records/started-workers.ts: setTimeout(onTime",
      "records/thread-pool.ts: subscribe(CHANNEL, onMessage",
      "requests/track-requests.ts: subscribe(subscriptions[i]![0], subscriptions[i]![1]",
      "start.ts: setTimeout(leave",
      "start.ts: .on('exit', onExit",
      "unref.ts: setTimeout((",
    ]
  `);
});

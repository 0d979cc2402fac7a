'use strict';
// What code can see of this thread and of its process, as a map of names to texts: properties of all objects that
// Node.js shares with a program, listeners, subscribers, handles, descriptors, threads, signals. Two runs of one program,
// one of them watched, show what watching changes. Needs `--expose-internals`.
const { createHash } = require('node:crypto');
const fs = require('node:fs');
const { builtinModules } = require('node:module');
const os = require('node:os');
const { MessagePort, Worker } = require('node:worker_threads');

const { internalBinding } = require('internal/test/binding');

/** Their content is the program's, or differs with each run. */
const skippedPaths = new Set([
  'module._cache',
  'module._pathCache',
  'module.globalPaths',
  'module.prototype.require.main',
  'process.argv',
  'process.env',
  'process.execArgv',
  'process.mainModule',
  'process.memoryUsage.rss',
  'process.moduleLoadList',
  'process.report',
  'process.versions',
  'process._events',
]);
const skippedModules =
  /^(_|punycode$|sys$|internal\/|v8\/|wasi$|node:)|\/(?!promises|web|strict|types|posix|win32|consumers)/;
const maxDepth = 9;

const ownKeys = Reflect.ownKeys;
const toText = Function.prototype.toString;

/** Returns the state now. */
async function processState() {
  const state = new Map();
  // First, what the rest of this function changes itself.
  for (const [name, text] of Object.entries(facts())) state.set(name, text);
  for (const key of await environmentDataKeys()) state.set(`environment data ${key}`, 'set');
  walk(state);
  return Object.fromEntries(state);
}

/** The state without the properties of objects. */
function facts() {
  return Object.fromEntries(eachFact());
}

function* eachFact() {
  for (const key of ownKeys(globalThis))
    yield [`key globalThis${typeof key === 'symbol' ? `[${String(key)}]` : `.${key}`}`, 'there'];
  for (const event of process.eventNames()) {
    yield [`listener of process: ${String(event)}`, String(process.listenerCount(event))];
  }
  yield ['limit of listeners of process', String(process.getMaxListeners())];
  for (const [type, count] of counted(process.getActiveResourcesInfo()))
    yield [`active resource ${type}`, String(count)];
  for (const [type, count] of counted(handles())) yield [`handle ${type}`, String(count)];
  for (const key of Object.keys(process.env)) yield [`variable ${key}`, 'set'];
  for (const name of channelNames()) {
    if (require('node:diagnostics_channel').hasSubscribers(name)) yield [`subscriber ${name}`, 'there'];
  }
  const { observerCounts } = internalBinding('performance');
  yield ['performance observers', String(Array.from(observerCounts))];
  const { async_hook_fields: fields, constants } = internalBinding('async_wrap');
  yield ['async hooks', String(fields[constants.kTotals])];
  const { timerListMap } = require('internal/timers');
  for (const ms of Object.keys(timerListMap)) yield [`timers of ${ms} ms`, String(lengthOf(timerListMap[ms]))];
  if (process.platform === 'linux') yield* ofLinux();
}

function* ofLinux() {
  for (const [target, count] of counted(descriptors())) yield [`descriptor ${target}`, String(count)];
  const threads = fs
    .readdirSync('/proc/self/task')
    .map((id) => fs.readFileSync(`/proc/self/task/${id}/comm`, 'utf8').trim());
  for (const [name, count] of counted(threads)) yield [`thread ${name}`, String(count)];
  const status = fs.readFileSync('/proc/self/status', 'utf8');
  for (const field of ['SigCgt', 'SigIgn', 'SigBlk']) {
    const mask = BigInt(`0x${new RegExp(`^${field}:\\s*(\\w+)`, 'm').exec(status)[1]}`);
    for (const [name, number] of Object.entries(os.constants.signals)) {
      if ((mask >> BigInt(number - 1)) & 1n) yield [`${field} ${name}`, 'set'];
    }
  }
}

/** Targets of what stays open for a while: another thread may be reading a file right now. */
function descriptors() {
  const cell = new Int32Array(new SharedArrayBuffer(4));
  let open = targetsByNumber();
  for (let i = 0; i < 2; i++) {
    Atomics.wait(cell, 0, 0, 7);
    const now = targetsByNumber();
    open = new Map([...open].filter(([number, target]) => now.get(number) === target));
  }
  return [...open].map(([number, target]) => `${number < 3 ? `${number} ` : ''}${target.replace(/\d+/g, 'N')}`);
}

function targetsByNumber() {
  return new Map(
    fs.readdirSync('/proc/self/fd').flatMap((number) => {
      try {
        return [[Number(number), fs.readlinkSync(`/proc/self/fd/${number}`)]];
      } catch {
        return []; // closed meanwhile, as that of this list
      }
    }),
  );
}

/** The handles of this thread's event loop, also those that do not keep it alive. The timers are those of `timerListMap`. */
function handles() {
  process.report.excludeNetwork = true;
  const { libuv } = process.report.getReport();
  return libuv
    .filter(({ type }) => type !== 'timer')
    .map(({ type, is_active: isActive, is_referenced: isReferenced }) =>
      [type, isActive ? 'active' : 'inactive', isReferenced ? 'ref' : 'unref'].join(' '),
    );
}

function lengthOf(list) {
  let length = 0;
  for (let timer = list._idlePrev; timer && timer !== list; timer = timer._idlePrev) length++;
  return length;
}

function counted(values) {
  const counts = new Map();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return [...counts].sort(([a], [b]) => (a < b ? -1 : 1));
}

/** Names of all channels that Node.js itself has. */
function channelNames() {
  const traced = ['module.require', 'module.import', 'child_process.spawn', 'net.server.listen', 'fetch'].flatMap(
    (name) => ['start', 'end', 'asyncStart', 'asyncEnd', 'error'].map((event) => `tracing:${name}:${event}`),
  );
  const http = ['client.request.created', 'client.request.start', 'client.request.error', 'client.response.finish']
    .concat(['server.request.start', 'server.response.created', 'server.response.finish'])
    .map((name) => `http.${name}`);
  const http2 = ['created', 'start', 'error', 'finish', 'close', 'bodyChunkSent', 'bodySent'].flatMap((event) =>
    ['client', 'server'].map((side) => `http2.${side}.stream.${event}`),
  );
  const undici = ['request:create', 'request:bodySent', 'request:headers', 'request:trailers', 'request:error']
    .concat(['client:sendHeaders', 'client:beforeConnect', 'client:connected', 'client:connectError'])
    .map((name) => `undici:${name}`);
  return [...traced, ...http, ...http2, ...undici, 'net.client.socket', 'net.server.socket', 'udp.socket'].concat([
    'child_process',
    'process',
    'process.execve',
    'worker_threads',
    'web.fetch',
    'console.log',
    'console.error',
  ]);
}

/** Node.js gives them to each new worker with its first message. */
async function environmentDataKeys() {
  const { postMessage } = MessagePort.prototype;
  let keys = [];
  MessagePort.prototype.postMessage = function (message, ...rest) {
    if (message?.environmentData) keys = [...message.environmentData.keys()];
    return postMessage.call(this, message, ...rest);
  };
  let worker;
  try {
    worker = new Worker('', { eval: true, execArgv: [], env: {} });
  } finally {
    MessagePort.prototype.postMessage = postMessage;
  }
  await new Promise((resolve) => worker.once('exit', resolve));
  return keys;
}

function walk(state) {
  const seen = new Set([state]);
  const queue = [['', globalThis]];
  const { emitWarning } = process;
  process.emitWarning = () => undefined; // of modules that are deprecated or experimental
  try {
    for (const name of builtinModules) {
      if (skippedModules.test(name)) continue;
      try {
        queue.push([name, require(name)]);
      } catch {
        // A worker thread has no `trace_events`.
      }
    }
  } finally {
    process.emitWarning = emitWarning;
  }
  queue.splice(1, 0, ['process', process]);
  for (const [, root] of queue) seen.add(root);
  for (let i = 0; i < queue.length; i++) {
    const [path, owner] = queue[i];
    const children = properties(path, owner);
    for (const [name, value, text] of children) {
      state.set(name, text);
      const isObject = (typeof value === 'object' && value !== null) || typeof value === 'function';
      if (!isObject || seen.has(value) || isOpaque(value) || skippedPaths.has(name)) continue;
      if (name.split('.').length > maxDepth || /\[Symbol\((?:opentelemetry|loopwatch|undici)/.test(name)) continue;
      seen.add(value);
      queue.push([name, value]);
    }
  }
}

function isOpaque(value) {
  return ArrayBuffer.isView(value) || value instanceof ArrayBuffer || value instanceof Map || value instanceof Set;
}

/** Name, value and text of each property, without calling getters. */
function properties(path, owner) {
  const found = [];
  const prototype = Object.getPrototypeOf(owner);
  if (prototype !== null) found.push([`${path}.[[Prototype]]`, prototype, describe(prototype)]);
  found.push([`${path}.[[Extensible]]`, undefined, String(Object.isExtensible(owner))]);
  for (const key of ownKeys(owner)) {
    const name =
      typeof key === 'symbol' ? `${path || 'globalThis'}[${String(key)}]` : path === '' ? key : `${path}.${key}`;
    const descriptor = Reflect.getOwnPropertyDescriptor(owner, key);
    if (!descriptor) continue;
    const { value, get, set, writable, enumerable, configurable } = descriptor;
    const flags = [writable && 'w', enumerable && 'e', configurable && 'c'].filter(Boolean).join('');
    if (get || set) {
      found.push([name, undefined, `accessor ${flags} ${get ? describe(get) : '-'} ${set ? describe(set) : '-'}`]);
    } else found.push([name, value, `${flags} ${describe(value)}`]);
  }
  return found;
}

function describe(value) {
  if (typeof value === 'function') {
    const hash = createHash('sha1').update(toText.call(value)).digest('hex').slice(0, 8);
    return `function ${String(Reflect.getOwnPropertyDescriptor(value, 'name')?.value)} ${hash}`;
  }
  if (typeof value === 'object' && value !== null) return 'object';
  return `${typeof value} ${String(value).slice(0, 80)}`;
}

module.exports = { facts, processState };

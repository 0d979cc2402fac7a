'use strict';
// node blocks.cjs <peer>: runs blocks of known place, length, span and cause, one after the other. Prints as JSON lines
// what really happened, and what the peer reported of it inside the process.
const { execSync } = require('node:child_process');
const { pbkdf2Sync } = require('node:crypto');
const { readFileSync } = require('node:fs');
const path = require('node:path');
const { setImmediate: nextIteration, setTimeout: sleep } = require('node:timers/promises');
const { requireFromConsumer, startSdk } = require('./support/open-telemetry.cjs');

const PAUSE_MS = Number(process.env.BENCH_PAUSE_MS ?? 450);

function print(record) {
  process.stdout.write(`${JSON.stringify(record)}\n`);
}

const [peerName] = process.argv.slice(2);
const { trace, context } = requireFromConsumer('@opentelemetry/api');
const peer = require(`./peers/${peerName}.cjs`)({
  report: (record) => {
    print({ type: 'report', atEpochMs: Date.now(), ...record });
  },
});
// A peer that does not start an SDK gets one here, so that every block has a span.
if (trace.getTracer('bench').startSpan('probe').spanContext().traceId === '0'.repeat(32)) startSdk();
const tracer = trace.getTracer('bench');

function untilMs(ms) {
  return performance.now() + ms;
}

const rows = Array.from({ length: 30_000 }, (_, id) => ({
  id,
  parent: (id * 7919) % 30_000,
  tags: ['a', 'b', String(id)],
}));
const json = JSON.stringify(Array.from({ length: 14 }, () => rows));
const words = Array.from({ length: 200_000 }, (_, index) => `word ${(index * 2_654_435_761) % 1_000_003}`);

function findParents() {
  const end = untilMs(300);
  let found = 0;
  for (const row of rows) {
    if (rows.find(({ id }) => id === row.parent)) found++;
    if (performance.now() > end) break;
  }
  return found;
}

function parsePayload() {
  return countRows(JSON.parse(json));
}

/** Fast, and called right after a native call without JavaScript frames: a sample that is taken too late names this. */
function countRows(pages) {
  let count = 0;
  for (const page of pages) count += page.length;
  return count;
}

function validateAddress() {
  const end = untilMs(250);
  let length = 18;
  while (performance.now() < end) /^(\w+\s?)*$/.test(`${'a'.repeat(length++)}!`);
}

function sortWords() {
  return [...words].sort((a, b) => a.localeCompare(b)).length;
}

function hashPassword() {
  return pbkdf2Sync('password', 'salt', 500_000, 64, 'sha512');
}

function runCommand() {
  return execSync('sleep 0.3');
}

function waitForLock() {
  return Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 300);
}

async function drainQueue() {
  const end = untilMs(300);
  let count = 0;
  while (performance.now() < end) count += await Promise.resolve(1);
  return count;
}

function createReport() {
  const end = untilMs(300);
  let text = '';
  while (performance.now() < end)
    text = rows
      .slice(0, 500)
      .map((row) => JSON.stringify(row))
      .join('\n');
  return text.length;
}

const blocks = [
  [findParents, ['javascript']],
  [parsePayload, ['native']],
  // Where V8 runs compiled code of its own, or often changes between it and JavaScript, both causes are right.
  [validateAddress, ['javascript', 'native']],
  [sortWords, ['javascript', 'native']],
  [hashPassword, ['native']],
  [runCommand, ['waiting']],
  [waitForLock, ['waiting']],
  [drainQueue, ['javascript']],
  [createReport, ['javascript', 'native']],
];

const file = path.join(__dirname, 'blocks.cjs');
const source = readFileSync(file, 'utf8').split('\n');

function linesOf({ name }) {
  const first = source.findIndex((line) => /^(async )?function /.test(line) && line.includes(` ${name}(`));
  const last = source.findIndex((line, index) => index > first && line === '}');
  return [first + 1, last + 1];
}

/** Another request, whose span is open during the block: a wrong answer. */
function bystander(name) {
  return tracer.startActiveSpan(name, async (span) => {
    for (let step = 0; step < 5; step++) await sleep(10);
    span.end();
  });
}

async function blockOnce(block, causes) {
  const others = [bystander('bystander 1'), bystander('bystander 2')];
  await tracer.startActiveSpan(`block ${block.name}`, async (span) => {
    await sleep(15);
    const startEpochMs = performance.timeOrigin + performance.now();
    await block();
    const endEpochMs = performance.timeOrigin + performance.now();
    const { spanId } = trace.getSpan(context.active()).spanContext();
    await nextIteration(); // the work of this program itself is not part of the block
    print({
      type: 'block',
      name: block.name,
      startEpochMs,
      endEpochMs,
      spanId,
      file,
      lines: linesOf(block),
      causes,
    });
    span.end();
  });
  await Promise.all(others);
}

async function main() {
  await sleep(PAUSE_MS + 800); // the peers' threads start
  const only = process.env.BENCH_BLOCKS?.split(',');
  for (const [block, causes] of blocks) {
    if (only && !only.includes(block.name)) continue;
    await peer.collect?.();
    await sleep(100);
    await blockOnce(block, causes);
    await sleep(PAUSE_MS);
    // As an export or a scrape does, only sooner.
    await peer.collect?.();
  }
  print({ type: 'end' });
}

process.stdin.on('end', () => process.kill(process.pid, 'SIGKILL')).resume();
process.on('SIGTERM', () => process.exit(0));
void main();

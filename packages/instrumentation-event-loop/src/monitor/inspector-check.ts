import process from 'node:process';
import { closeSync, openSync, readSync } from '../contract/file-functions.js';

/**
 * Throws where Node.js gives the main thread no inspector. A worker that connects to it nevertheless gets no error: an
 * assertion fails and aborts the process (`parent_handle_ != nullptr` in `Agent::ConnectToMainThread`, Node 20 to 26).
 */
export function assertInspectorExists(): void {
  const { permission } = process as { permission?: { has(scope: string): boolean } };
  if (permission?.has('inspector') === false) {
    throw new Error("Node's permission model forbids the inspector; from Node 24 on, --allow-inspector allows it");
  }
  if (runsOthers(process.execArgv, process.env['NODE_OPTIONS'] ?? '')) {
    throw new Error('Node.js has no inspector in a process that runs others for --test or --watch');
  }
}

/**
 * Throws where a worker that loads `node:http` would abort the process: one that was started from a snapshot
 * (`shutdown_wrap_template_.IsEmpty()` in `LibuvStreamWrap::Initialize`, Node 22 to 26; on Node 22, any worker).
 */
export function assertWorkersRun(): void {
  if (isStartedFromSnapshot(process.execArgv, process.env['NODE_OPTIONS'] ?? '')) {
    throw new Error(
      'Node.js aborts a process that --snapshot-blob has started when one of its workers loads node:http',
    );
  }
}

/** What a worker thread of Node.js reserves at most, bytes: 650 to 1,030 MB were measured, hardly any of it used. */
const ADDRESS_SPACE_OF_WORKER = 1280 * 2 ** 20;

/**
 * Throws where the limit of the address space (`ulimit -v`) leaves too little of it for a worker: V8 ends the process when
 * it cannot reserve its memory.
 */
export function assertAddressSpace(): void {
  const limits = readQuietly('/proc/self/limits');
  const left = limits === undefined ? Infinity : addressSpaceLeft(limits, readQuietly('/proc/self/status') ?? '');
  if (left >= ADDRESS_SPACE_OF_WORKER) return;
  throw new Error(
    `the limit of the address space (ulimit -v) leaves ${toMb(left)} of ${toMb(ADDRESS_SPACE_OF_WORKER)} MB`,
  );
}

/** Bytes, by `/proc/PID/limits` and `/proc/PID/status`; infinite without a limit. Without a regular expression: see `probe`. */
export function addressSpaceLeft(limits: string, status: string): number {
  const limit = numberAfter(limits, 'Max address space');
  return Number.isNaN(limit) ? Infinity : limit - (numberAfter(status, 'VmSize:') || 0) * 1024;
}

function numberAfter(text: string, name: string): number {
  const start = text.indexOf(name);
  return start < 0 ? NaN : parseInt(text.slice(start + name.length, start + name.length + 40), 10);
}

function toMb(bytes: number): number {
  return Math.max(0, Math.round(bytes / 2 ** 20));
}

/** As much of each of the two files as is read, bytes: they have less. */
const MAX_FILE_BYTES = 4096;

/** Undefined on other systems than Linux. Not by `readFileSync`, which calls the `openSync` that a test may have replaced. */
function readQuietly(file: string): string | undefined {
  try {
    const descriptor = openSync(file, 'r');
    try {
      const buffer = Buffer.alloc(MAX_FILE_BYTES);
      return buffer.toString('latin1', 0, readSync(descriptor, buffer, 0, MAX_FILE_BYTES, 0));
    } finally {
      closeSync(descriptor);
    }
  } catch {
    return undefined;
  }
}

export function isStartedFromSnapshot(execArgv: readonly string[], nodeOptions: string): boolean {
  const flags = flagsOf(execArgv, nodeOptions);
  return / --snapshot-blob[= ]/.test(flags) && !/ --build-snapshot(-config)?[= ]/.test(flags);
}

/** Whether the flags make this process start the tests or the watched program as processes of their own. */
export function runsOthers(execArgv: readonly string[], nodeOptions: string): boolean {
  const flags = flagsOf(execArgv, nodeOptions);
  // Tests that run in this process have the inspector; Node 20 has no such flag.
  const isTestRunner = flags.includes(' --test ') && !/ --(experimental-)?test-isolation[= ]none /.test(flags);
  return isTestRunner || / --watch(-path)?[= ]/.test(flags);
}

function flagsOf(execArgv: readonly string[], nodeOptions: string): string {
  return ` ${[...nodeOptions.split(/\s+/), ...execArgv].join(' ').replaceAll('_', '-')} `;
}

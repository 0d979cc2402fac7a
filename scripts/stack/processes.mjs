import { spawn, spawnSync } from 'node:child_process';
import { closeSync, existsSync, mkdirSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { Failure } from '../lib/failure.mjs';

const readyTimeoutMs = 60_000;
const stopTimeoutMs = 15_000;

/**
 * Starts a program in a process group of its own, its output appended to a log file, and waits until it answers.
 * Returns its process id. The program outlives this process: the caller must stop it.
 * @param {import('./configuration.mjs').Program} program
 * @param {string} logDirectory
 * @returns {Promise<number>}
 */
export async function startProgram(program, logDirectory) {
  for (const directory of [logDirectory, ...program.directories]) mkdirSync(directory, { recursive: true });
  for (const [file, text] of Object.entries(program.files ?? {})) writeFileSync(file, text);
  const logFile = path.join(logDirectory, `${program.name}.log`);
  const log = openSync(logFile, 'a');
  const child = spawn(program.command, program.arguments, {
    detached: true,
    stdio: ['ignore', log, log],
    env: { ...process.env, ...program.environment },
  });
  closeSync(log);
  /** @type {string | undefined} */
  let failure;
  child.once('error', (error) => {
    failure = error.message;
  });
  child.once('exit', (code, signal) => {
    failure ??= `it ended with ${signal ?? `exit code ${code}`}`;
  });
  child.unref();

  const deadlineMs = performance.now() + readyTimeoutMs;
  while (!(await answers(program.healthUrl))) {
    if (performance.now() > deadlineMs) failure ??= `it did not answer within ${readyTimeoutMs / 1000} s`;
    if (failure !== undefined) {
      if (child.pid !== undefined) await stopProcess(child.pid, program.command);
      throw new Failure(
        `Expected ${program.name} to answer at ${program.healthUrl}, but ${failure}. ` +
          `The end of ${logFile}:\n${lastLines(logFile)}`,
      );
    }
    await sleep(50);
  }
  if (child.pid === undefined) throw new Error(`Expected ${program.name} to have a process id.`);
  return child.pid;
}

/**
 * Whether the address answers 2xx within a second.
 * @param {string} url
 */
async function answers(url) {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(1_000) });
    await response.arrayBuffer();
    return response.ok;
  } catch {
    return false;
  }
}

/**
 * Whether the process runs and is still that program: the system reuses process ids.
 * @param {number} pid
 * @param {string} command
 */
export function isRunning(pid, command) {
  return commandLineOf(pid)?.startsWith(command) === true;
}

/**
 * Sends SIGTERM and, if the process does not end in time, SIGKILL. Does nothing if the process id is no longer that
 * program's.
 * @param {number} pid
 * @param {string} command
 */
export async function stopProcess(pid, command) {
  if (!isRunning(pid, command)) return;
  signal(pid, 'SIGTERM');
  const deadlineMs = performance.now() + stopTimeoutMs;
  while (isRunning(pid, command)) {
    if (performance.now() > deadlineMs) signal(pid, 'SIGKILL');
    await sleep(25);
  }
}

/**
 * Kills the process and waits until it has ended.
 * @param {number} pid
 * @param {string} command
 */
export async function killProcess(pid, command) {
  if (!isRunning(pid, command)) return;
  signal(pid, 'SIGKILL');
  while (isRunning(pid, command)) await sleep(10);
}

/**
 * Resident memory in bytes, or undefined if the system does not report it.
 * @param {number} pid
 */
export function residentBytes(pid) {
  const statusFile = `/proc/${pid}/status`;
  const kibibytes = existsSync(statusFile)
    ? /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(statusFile, 'utf8'))?.[1]
    : ps('rss=', pid);
  return kibibytes === undefined ? undefined : Number(kibibytes) * 1024;
}

/**
 * @param {number} pid
 * @param {NodeJS.Signals} name
 */
function signal(pid, name) {
  try {
    process.kill(pid, name);
  } catch (error) {
    if (/** @type {NodeJS.ErrnoException} */ (error).code !== 'ESRCH') throw error;
  }
}

/**
 * @param {number} pid
 * @returns {string | undefined}
 */
function commandLineOf(pid) {
  if (!existsSync('/proc/self/cmdline')) return ps('args=', pid);
  try {
    // Empty for a zombie.
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim();
  } catch {
    return undefined;
  }
}

/**
 * @param {string} column
 * @param {number} pid
 */
function ps(column, pid) {
  const { status, stdout } = spawnSync('ps', ['-o', column, '-p', String(pid)], { encoding: 'utf8' });
  return status === 0 ? stdout.trim() : undefined;
}

/** @param {string} file */
function lastLines(file) {
  return existsSync(file) ? readFileSync(file, 'utf8').trimEnd().split('\n').slice(-20).join('\n') : '(empty)';
}

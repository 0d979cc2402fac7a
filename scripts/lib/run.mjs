import { spawn } from 'node:child_process';
import { constants } from 'node:os';

import { rootDirectory } from './paths.mjs';

const forwardAgainAfterMs = 1000;

/**
 * @typedef {object} RunOptions
 * @property {string} [cwd] default: the checkout
 * @property {NodeJS.ProcessEnv} [env] default: that of this process
 * @property {(text: Buffer) => void} [onOutput] gets the output, which is then not printed
 */

/**
 * Runs a program in this terminal and resolves to its exit code (128 + n if signal n ended it).
 *
 * While it runs, SIGINT and SIGTERM are forwarded to it and do not end this process, which then returns its exit code.
 * @param {string} command
 * @param {readonly string[]} commandArguments
 * @param {RunOptions} [options]
 * @returns {Promise<number>}
 */
export function run(command, commandArguments, { cwd = rootDirectory, env = process.env, onOutput } = {}) {
  return new Promise((resolve, reject) => {
    /** @type {import('node:child_process').StdioOptions} */
    const stdio = onOutput ? ['inherit', 'pipe', 'pipe'] : 'inherit';
    const child = spawn(command, commandArguments, { cwd, env, stdio });
    if (onOutput) for (const stream of [child.stdout, child.stderr]) stream?.on('data', onOutput);
    const stopForwarding = forwardSignals(child);
    child.once('error', (cause) => {
      stopForwarding();
      reject(new Error(`Could not start ${command}.`, { cause }));
    });
    // After the end of its output.
    child.once('close', (code, signal) => {
      stopForwarding();
      resolve(signal === null ? (code ?? 1) : 128 + constants.signals[signal]);
    });
  });
}

/**
 * At a terminal Ctrl-C signals the whole process group, so the child already has its SIGINT; npm then sends this process
 * a second one.
 * @param {import('node:child_process').ChildProcess} child
 */
function forwardSignals(child) {
  let lastForwardMs = -Infinity;
  /** @param {NodeJS.Signals} signal */
  const forward = (signal) => {
    if (signal === 'SIGINT' && process.stdin.isTTY) return;
    const nowMs = performance.now();
    if (nowMs - lastForwardMs < forwardAgainAfterMs) return;
    lastForwardMs = nowMs;
    child.kill(signal);
  };
  process.on('SIGINT', forward);
  process.on('SIGTERM', forward);
  return () => {
    process.off('SIGINT', forward);
    process.off('SIGTERM', forward);
  };
}

import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const pollIntervalMs = 250;

/**
 * Lets one process at a time do the work: two terminals must not write the same node_modules or dist at once.
 * @template T
 * @param {string} file
 * @param {() => Promise<T>} work
 * @returns {Promise<T>}
 */
export async function withLock(file, work) {
  mkdirSync(path.dirname(file), { recursive: true });
  let saidThatWeWait = false;
  while (!tryLock(file)) {
    if (!saidThatWeWait) console.log('  waiting for another run of the workspace to finish installing or building …');
    saidThatWeWait = true;
    await sleep(pollIntervalMs);
  }
  try {
    return await work();
  } finally {
    rmSync(file, { force: true });
  }
}

/** @param {string} file */
function tryLock(file) {
  try {
    writeFileSync(file, String(process.pid), { flag: 'wx' });
    return true;
  } catch (error) {
    if (/** @type {NodeJS.ErrnoException} */ (error).code !== 'EEXIST') throw error;
    if (!isHeld(file)) rmSync(file, { force: true });
    return false;
  }
}

/**
 * A killed run leaves its file behind; its process is gone.
 * @param {string} file
 */
function isHeld(file) {
  try {
    const holder = Number(readFileSync(file, 'utf8'));
    // Created, but its number not written yet.
    if (holder === 0) return true;
    process.kill(holder, 0);
    return true;
  } catch (error) {
    return /** @type {NodeJS.ErrnoException} */ (error).code === 'EPERM';
  }
}

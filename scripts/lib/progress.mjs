import { availableParallelism } from 'node:os';

import { Failure } from './failure.mjs';

/**
 * Runs one step of a command and prints its title, then its seconds. A non-zero exit code throws.
 * @param {string} title
 * @param {() => Promise<number>} program
 */
export async function programStep(title, program) {
  console.log(`▸ ${title}`);
  await timed(title, program, () => undefined);
}

/**
 * @typedef {object} Step
 * @property {string} title
 * @property {(onOutput: (text: Buffer) => void) => Promise<number>} program its output is printed when it has ended
 */

/**
 * Runs steps side by side, one for each core, in their order. One that fails does not stop the others.
 * @param {readonly Step[]} steps
 * @returns {Promise<string[]>} what failed
 */
export async function stepsSideBySide(steps) {
  const waiting = steps.values();
  /** @type {string[]} */
  const failed = [];
  const lane = async () => {
    for (const { title, program } of waiting) {
      /** @type {Buffer[]} */
      const output = [];
      const flush = () => process.stdout.write(Buffer.concat(output));
      const collecting = () => program((text) => void output.push(text));
      await timed(title, collecting, flush).catch((/** @type {Error} */ error) => failed.push(error.message));
    }
  };
  await Promise.all(Array.from({ length: availableParallelism() }, lane));
  return failed;
}

/**
 * @param {string} title
 * @param {() => Promise<number>} program
 * @param {() => void} onEnd before the line with the seconds
 */
async function timed(title, program, onEnd) {
  const startMs = performance.now();
  const exitCode = await program().finally(onEnd);
  const seconds = ((performance.now() - startMs) / 1000).toFixed(1);
  console.log(`${exitCode === 0 ? '✓' : '✗'} ${title} (${seconds} s)`);
  if (exitCode !== 0) throw new Failure(`${title}: failed with exit code ${exitCode}, see above.`);
}

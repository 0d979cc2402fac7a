import { Failure } from './failure.mjs';

/**
 * Runs one step of a command and says so: what it is, then how long it took.
 * @template T
 * @param {string} title
 * @param {() => T | Promise<T>} work
 * @returns {Promise<T>}
 */
export async function step(title, work) {
  const startMs = performance.now();
  console.log(`▸ ${title}`);
  try {
    const result = await work();
    console.log(`✓ ${title} (${seconds(performance.now() - startMs)})`);
    return result;
  } catch (error) {
    console.log(`✗ ${title} (${seconds(performance.now() - startMs)})`);
    throw error;
  }
}

/**
 * Like `step`, for a program: a non-zero exit code is a failure of the step.
 * @param {string} title
 * @param {() => Promise<number>} program
 */
export function programStep(title, program) {
  return step(title, async () => {
    const exitCode = await program();
    if (exitCode !== 0) throw new Failure(`${title}: failed with exit code ${exitCode}, see above.`);
  });
}

/** @param {number} durationMs */
function seconds(durationMs) {
  return `${(durationMs / 1000).toFixed(1)} s`;
}

import { Failure } from './failure.mjs';

/**
 * Runs one step of a command and prints its title, then its seconds. A non-zero exit code throws.
 * @param {string} title
 * @param {() => Promise<number>} program
 */
export async function programStep(title, program) {
  const startMs = performance.now();
  console.log(`▸ ${title}`);
  const exitCode = await program();
  const seconds = ((performance.now() - startMs) / 1000).toFixed(1);
  console.log(`${exitCode === 0 ? '✓' : '✗'} ${title} (${seconds} s)`);
  if (exitCode !== 0) throw new Failure(`${title}: failed with exit code ${exitCode}, see above.`);
}

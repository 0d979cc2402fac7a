import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';

// Jest's transformers are synchronous and Rolldown is not: a process of its own bundles, once per Jest worker.
const program = `import { bundleWatchdog } from ${JSON.stringify(new URL('bundle-watchdog.mjs', import.meta.url))};
process.stdout.write((await bundleWatchdog()).source);`;

let bundled;

function watchdogSource() {
  bundled ??= execFileSync(process.execPath, ['--input-type=module', '--eval', program], {
    encoding: 'utf8',
    timeout: 60_000,
  });
  return bundled;
}

/** Jest transformer: what ./watchdog-plugin.mjs is to the build. */
export default {
  getCacheKey() {
    return createHash('sha256').update(watchdogSource()).digest('hex');
  },
  process() {
    return { code: `export const watchdogSource = ${JSON.stringify(watchdogSource())};` };
  },
};

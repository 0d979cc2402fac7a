import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';

// Jest transformers are synchronous and Rolldown is not, so a child process bundles the workers, once per Jest worker.
const program = `import { watchdogSourceModule } from ${JSON.stringify(new URL('bundle-watchdog.mjs', import.meta.url))};
process.stdout.write((await watchdogSourceModule()).code);`;

let bundled;

function watchdogModule() {
  bundled ??= execFileSync(process.execPath, ['--input-type=module', '--eval', program], {
    encoding: 'utf8',
    timeout: 60_000,
  });
  return bundled;
}

/** Jest transformer: does in tests what ./watchdog-plugin.mjs does in the build. */
export default {
  getCacheKey() {
    return createHash('sha256').update(watchdogModule()).digest('hex');
  },
  process() {
    return { code: watchdogModule() };
  },
};

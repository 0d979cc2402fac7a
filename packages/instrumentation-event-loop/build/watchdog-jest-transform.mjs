import { createHash } from 'node:crypto';

import { bundleWatchdog } from './bundle-watchdog.mjs';

/** Jest transformer: what ./watchdog-plugin.mjs is to the build. */
export default {
  async getCacheKeyAsync() {
    const { source } = await bundleWatchdog();
    return createHash('sha256').update(source).digest('hex');
  },
  process() {
    throw new Error('The watchdog is bundled asynchronously: import the file that needs it as an ES module.');
  },
  async processAsync() {
    const { source } = await bundleWatchdog();
    return { code: `export const watchdogSource = ${JSON.stringify(source)};` };
  },
};

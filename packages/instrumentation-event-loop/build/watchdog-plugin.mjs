import { bundleWatchdog } from './bundle-watchdog.mjs';

const specifier = 'virtual:watchdog-source';
const resolvedId = `\0${specifier}`;

/** Rolldown plugin: `import { watchdogSource } from 'virtual:watchdog-source'` gives the bundled worker as a string. */
export function watchdogPlugin() {
  return {
    name: 'loopwatch:watchdog-source',
    resolveId(id) {
      return id === specifier ? resolvedId : null;
    },
    async load(id) {
      if (id !== resolvedId) return null;
      const { source, files } = await bundleWatchdog();
      for (const file of files) this.addWatchFile(file);
      return { code: `export const watchdogSource = ${JSON.stringify(source)};`, moduleSideEffects: false };
    },
  };
}

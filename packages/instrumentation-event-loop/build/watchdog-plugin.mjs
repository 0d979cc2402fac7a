import { watchdogSourceModule } from './bundle-watchdog.mjs';

const specifier = 'virtual:watchdog-source';
const resolvedId = `\0${specifier}`;

/** Rolldown plugin: `virtual:watchdog-source` exports the bundled workers as strings. */
export function watchdogPlugin() {
  return {
    name: 'loopwatch:watchdog-source',
    resolveId(id) {
      return id === specifier ? resolvedId : null;
    },
    async load(id) {
      if (id !== resolvedId) return null;
      const { code, files } = await watchdogSourceModule();
      for (const file of files) this.addWatchFile(file);
      return { code, moduleSideEffects: false };
    },
  };
}

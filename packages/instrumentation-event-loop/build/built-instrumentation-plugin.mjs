import path from 'node:path';

const instrumentation = path.resolve(import.meta.dirname, '../src/instrumentation.ts');

/**
 * Rolldown plugin for `/register`: imports of src/instrumentation.ts come from the built `index` file beside it. The
 * other modules that both files need exist in each of them: what they share lies on `globalThis` and in environment data
 * (monitor/shared-thread.ts, contract/registry.ts).
 */
export function builtInstrumentationPlugin(format) {
  return {
    name: 'loopwatch:built-instrumentation',
    async resolveId(id, importer) {
      if (importer === undefined || !id.endsWith('/instrumentation.js')) return null;
      const resolved = await this.resolve(id, importer, { skipSelf: true });
      if (resolved?.id !== instrumentation) return null;
      return { id: format === 'esm' ? './index.mjs' : './index.cjs', external: true };
    },
  };
}

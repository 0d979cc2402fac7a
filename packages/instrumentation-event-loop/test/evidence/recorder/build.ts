import { rm } from 'node:fs/promises';
import path from 'node:path';

import { build } from 'tsdown';
import type { UserConfig } from 'tsdown';

import configs from '../../../tsdown.config.ts';
import { deferredPlugin } from '../../../build/deferred-plugin.mjs';

const sources = path.resolve(import.meta.dirname, '../../../src');
const replaced = path.join(sources, 'monitor/pending-blocks.ts');
const recorder = path.join(import.meta.dirname, 'pending-blocks.ts');

/** Rolldown plugin: imports of one module of the package lead to the one that records. */
function recorderPlugin() {
  return {
    name: 'loopwatch:recorder',
    async resolveId(
      this: { resolve: (...args: [string, string, { skipSelf: boolean }]) => Promise<{ id: string } | null> },
      id: string,
      importer: string | undefined,
    ) {
      if (importer === undefined || !id.startsWith('.') || importer.startsWith(import.meta.dirname)) return null;
      const resolved = await this.resolve(id, importer, { skipSelf: true });
      return resolved?.id === replaced ? recorder : null;
    },
  };
}

/** Builds the package with the recorder in it. Nothing of it is published: it goes to `outDir`, and `dist` stays. */
export async function buildRecorder(outDir: string): Promise<void> {
  await rm(outDir, { recursive: true, force: true });
  const [{ plugins, ...config }] = configs as [UserConfig & { plugins: { name: string }[] }];
  const others = plugins.filter(({ name }) => name !== 'loopwatch:deferred');
  await build({
    ...config,
    config: false,
    dts: false,
    sourcemap: false,
    logLevel: 'warn',
    cwd: path.dirname(sources),
    outDir,
    plugins: [recorderPlugin(), deferredPlugin([recorderPlugin()]), ...others],
  });
}

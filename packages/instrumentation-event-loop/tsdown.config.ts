import { defineConfig } from 'tsdown';

import { deferredPlugin } from './build/deferred-plugin.mjs';
import { generateVersion } from './build/generate-version.mjs';
import { lineMapPlugin } from './build/line-map-plugin.mjs';
import { nodeModulesPlugin } from './build/node-modules-plugin.mjs';

generateVersion();

const shared = {
  format: ['esm' as const, 'cjs' as const],
  platform: 'node' as const,
  target: 'node20.6',
  dts: { sourcemap: false },
  sourcemap: true,
  // Both formats keep `.mjs`/`.cjs`, so that the package's own `type` decides nothing.
  fixedExtension: true,
  // No comment where each source begins and ends: the source maps say so.
  inputOptions: { experimental: { attachDebugInfo: 'none' as const } },
  plugins: [deferredPlugin(), nodeModulesPlugin(), lineMapPlugin()],
  // The comments stand in the sources and, for the public API, in the types.
  outputOptions: { comments: { jsdoc: false, annotation: true, legal: true } },
};

export default defineConfig([
  { ...shared, entry: ['src/index.ts', 'src/register.ts'] },
  // The names by themselves: as a file that the others load, it would cost each start more than its constants do.
  { ...shared, entry: ['src/semconv.ts'], clean: false },
]);

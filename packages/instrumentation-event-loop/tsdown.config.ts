import { defineConfig } from 'tsdown';

import { generateVersion } from './build/generate-version.mjs';
import { lineMapPlugin } from './build/line-map-plugin.mjs';
import { nodeModulesPlugin } from './build/node-modules-plugin.mjs';
import { watchdogPlugin } from './build/watchdog-plugin.mjs';

generateVersion();

export default defineConfig({
  entry: ['src/index.ts', 'src/register.ts', 'src/semconv.ts'],
  format: ['esm', 'cjs'],
  platform: 'node',
  target: 'node20.6',
  dts: { sourcemap: false },
  sourcemap: true,
  // Both formats keep `.mjs`/`.cjs`, so that the package's own `type` decides nothing.
  fixedExtension: true,
  // No comment where each source begins and ends: the source maps say so.
  inputOptions: { experimental: { attachDebugInfo: 'none' } },
  plugins: [watchdogPlugin(), nodeModulesPlugin(), lineMapPlugin()],
  // The comments stand in the sources and, for the public API, in the types.
  outputOptions: { comments: { jsdoc: false, annotation: true, legal: true } },
});

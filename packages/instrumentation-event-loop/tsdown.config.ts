import { defineConfig } from 'tsdown';

import { asciiPlugin } from './build/ascii-plugin.mjs';
import { builtInstrumentationPlugin } from './build/built-instrumentation-plugin.mjs';
import { deferredPlugin } from './build/deferred-plugin.mjs';
import { generateVersion } from './build/generate-version.mjs';
import { lineMapPlugin } from './build/line-map-plugin.mjs';
import { nodeModulesPlugin } from './build/node-modules-plugin.mjs';
import { numbersPlugin } from './build/numbers-plugin.mjs';

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
  plugins: [deferredPlugin(), nodeModulesPlugin(), numbersPlugin(), lineMapPlugin(), asciiPlugin()],
  // The comments stand in the sources and, for the public API, in the types.
  outputOptions: { comments: { jsdoc: false, annotation: true, legal: true } },
};

/** `/register` in one format: it takes the instrumentation from the built file, whose state the application shares. */
const register = (format: 'esm' | 'cjs') => ({
  ...shared,
  format: [format],
  entry: ['src/register.ts'],
  clean: false,
  plugins: [builtInstrumentationPlugin(format), ...shared.plugins],
});

/** Only the CLI's build reads it: each byte beyond names and types would be installed for nothing. */
const internal = {
  ...shared,
  clean: false,
  minify: true,
  sourcemap: false,
  dts: { sourcemap: false, compilerOptions: { removeComments: true } },
};

export default defineConfig([
  // One file: each further one costs a start more than its content does.
  { ...shared, entry: ['src/index.ts'] },
  register('esm'),
  register('cjs'),
  // The names by themselves: as a file that the others load, it would cost each start more than its constants do.
  { ...shared, entry: ['src/semconv.ts'], clean: false },
  { ...internal, entry: ['src/internal.ts'] },
  { ...internal, entry: ['src/internal-node.ts'] },
]);

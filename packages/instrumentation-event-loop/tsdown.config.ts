import { defineConfig } from 'tsdown';

import { generateVersion } from './build/generate-version.mjs';
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
  plugins: [watchdogPlugin()],
});

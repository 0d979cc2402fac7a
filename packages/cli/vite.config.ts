import { fileURLToPath } from 'node:url';

import { defineConfig } from 'vite';
import { viteSingleFile } from 'vite-plugin-singlefile';

import { thirdPartyLicenses } from './build/third-party-licenses.mjs';

/** The page of `serve` and of the report: one HTML file with its scripts and styles inline. */
export default defineConfig({
  root: fileURLToPath(new URL('./src/page', import.meta.url)),
  plugins: [thirdPartyLicenses('page'), viteSingleFile({ removeViteModuleLoader: true })],
  build: {
    outDir: fileURLToPath(new URL('./dist', import.meta.url)),
    emptyOutDir: false,
    target: 'es2022',
    rolldownOptions: { input: fileURLToPath(new URL('./src/page/page.html', import.meta.url)) },
  },
  logLevel: 'warn',
});

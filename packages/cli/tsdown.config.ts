import { defineConfig } from 'tsdown';

export default defineConfig({
  entry: { cli: 'src/cli.ts' },
  format: 'esm',
  platform: 'node',
  target: 'node20.6',
  fixedExtension: true,
  dts: false,
  // One package to install: what is small comes along. The database brings WebAssembly and stays outside.
  deps: { onlyBundle: false, alwaysBundle: /^(?!node:|node-sqlite3-wasm)/, neverBundle: ['node-sqlite3-wasm'] },
});

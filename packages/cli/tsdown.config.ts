import { fileURLToPath } from 'node:url';

import { defineConfig } from 'tsdown';

import { thirdPartyLicenses } from './build/third-party-licenses.mjs';

const packageDirectory = (name: string): string => fileURLToPath(new URL(`node_modules/${name}`, import.meta.url));

/** What runs in the watched program. `run` has Node.js load the preload as a file; `attach` evaluates the agent as text. */
const inProgram = {
  format: 'cjs' as const,
  platform: 'node' as const,
  target: 'node20.6',
  fixedExtension: true,
  clean: false,
  dts: false,
  alias: {
    // The oldest API version that the instrumentation supports: a copy of the API logs by what the program has set only
    // if the same version or a newer one has registered it.
    '@opentelemetry/api': packageDirectory('opentelemetry-api-1-9'),
    // Of the original, the constructor that keeps names and configuration is enough.
    '@opentelemetry/instrumentation': fileURLToPath(new URL('src/preload/instrumentation-base.ts', import.meta.url)),
  },
  deps: { onlyBundle: false as const, alwaysBundle: /^(?!node:)/ },
  // Each process and worker thread of the program compiles this file.
  minify: true,
  define: { LOOPWATCH_OWN_BUNDLE: 'true' },
};

export default defineConfig([
  {
    entry: { cli: 'src/cli/cli.ts' },
    plugins: [thirdPartyLicenses('cli')],
    format: 'cjs',
    platform: 'node',
    target: 'node20.6',
    fixedExtension: true,
    dts: false,
    // With its names: the stacks of errors have them.
    minify: { mangle: false, compress: true, codegen: { removeWhitespace: true } },
    // `run` starts with every program: each file costs it some tenths of a millisecond. The others share what they need.
    outputOptions: {
      codeSplitting: {
        groups: [
          { name: 'main', test: /\/src\/cli\/main\.ts$/, priority: 2 },
          { name: 'run', test: /\/src\/cli\/commands\/run\.ts$/, priority: 1 },
        ],
      },
    },
    // Small dependencies are bundled: users install one package. The database brings WebAssembly and stays a dependency.
    deps: { onlyBundle: false, alwaysBundle: /^(?!node:|node-sqlite3-wasm)/, neverBundle: ['node-sqlite3-wasm'] },
  },
  {
    // A program of its own, in one file: what it shared with the command would run the command.
    entry: { closer: 'src/cli/inspect/inspector/closer.ts' },
    format: 'cjs',
    platform: 'node',
    target: 'node20.6',
    fixedExtension: true,
    clean: false,
    dts: false,
    minify: { mangle: false, compress: true, codegen: { removeWhitespace: true } },
    deps: { onlyBundle: false, alwaysBundle: /^(?!node:)/ },
  },
  { ...inProgram, entry: { preload: 'src/preload/main.ts' }, plugins: [thirdPartyLicenses('preload')] },
  { ...inProgram, entry: { agent: 'src/preload/attach/agent.ts' }, plugins: [thirdPartyLicenses('agent')] },
]);

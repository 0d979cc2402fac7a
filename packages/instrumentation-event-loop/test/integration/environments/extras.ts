import type { Extras } from '@loopwatch/test-support';

// The tools and frameworks of the tested environments. They are installed into consumer projects, one for each group of
// tests, so that the workspace does not have to install them all.

export const bundlers: Extras = {
  name: 'bundlers',
  dependencies: {
    '@rollup/plugin-commonjs': '29.0.3',
    '@rollup/plugin-json': '6.1.0',
    '@rollup/plugin-node-resolve': '16.0.3',
    '@vercel/ncc': '0.45.0',
    esbuild: '0.28.2',
    rollup: '4.68.7',
    webpack: '5.112.2',
  },
};

export const builds: Extras = {
  name: 'builds',
  dependencies: {
    '@babel/core': '7.29.13',
    '@babel/preset-env': '7.29.14',
    '@babel/preset-typescript': '7.29.7',
    '@parcel/config-default': '2.16.4',
    '@parcel/core': '2.16.4',
    '@rspack/core': '2.3.3',
    '@swc/core': '1.16.22',
    '@vercel/ncc': '0.45.0',
    esbuild: '0.28.2',
    rolldown: '1.2.19',
    rollup: '4.68.7',
    terser: '5.51.4',
    tsup: '8.5.1',
    typescript: '6.0.3',
    vite: '8.3.8',
    webpack: '5.112.2',
  },
};

/** Applications of frameworks, by the frameworks' own commands. */
export const frameworkBuilds: Extras = {
  name: 'framework-builds',
  dependencies: {
    '@nestjs/cli': '11.0.24',
    '@nestjs/common': '11.2.10',
    '@nestjs/core': '11.2.10',
    '@nestjs/platform-express': '11.2.10',
    '@swc/cli': '0.8.1',
    '@swc/core': '1.16.22',
    '@types/node': '24.19.2',
    '@types/react': '19.3.0',
    next: '16.4.6',
    react: '19.3.1',
    'react-dom': '19.3.1',
    'reflect-metadata': '0.2.2',
    rxjs: '7.8.2',
    'ts-loader': '9.6.2',
    typescript: '5.9.3',
  },
};

export const typescriptLoader: Extras = {
  name: 'typescript-loader',
  dependencies: { tsx: '4.23.15' },
};

export const testRunners: Extras = {
  name: 'test-runners',
  dependencies: { jest: '30.5.2', vitest: '5.1.1' },
};

export const frameworks: Extras = {
  name: 'frameworks',
  dependencies: {
    '@nestjs/common': '11.2.10',
    '@nestjs/core': '11.2.10',
    '@nestjs/platform-express': '11.2.10',
    '@opentelemetry/instrumentation-express': '0.71.0',
    express: '5.3.0',
    fastify: '5.12.8',
    'reflect-metadata': '0.2.2',
    rxjs: '7.8.2',
  },
};

export const next: Extras = {
  name: 'next',
  dependencies: { next: '16.4.6', react: '19.3.1', 'react-dom': '19.3.1' },
};

export const signalLibraries: Extras = {
  name: 'signal-libraries',
  dependencies: {
    '@godaddy/terminus': '4.12.1',
    'async-exit-hook': '2.0.1',
    'exit-hook': '4.0.0',
    'signal-exit-3': 'npm:signal-exit@3.0.7',
    'signal-exit-4': 'npm:signal-exit@4.1.0',
    stoppable: '1.1.0',
  },
};

export const incidents: Extras = {
  name: 'incidents',
  dependencies: {
    '@prisma/query-compiler-wasm': '7.10.0-4.0edf323efd1d98336f3f0a68684b56f689b900d3',
    bcryptjs: '3.0.3',
    dayjs: '1.11.23',
  },
};

import type { Plugin } from 'rolldown';

export declare function builtInstrumentationPlugin(format: 'esm' | 'cjs'): Plugin;

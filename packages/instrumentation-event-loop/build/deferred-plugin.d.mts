import type { Plugin } from 'rolldown';

export function deferredPlugin(plugins?: readonly Plugin[]): Plugin;

import type { Plugin } from 'rolldown';

export function deferredPlugin(): Plugin;

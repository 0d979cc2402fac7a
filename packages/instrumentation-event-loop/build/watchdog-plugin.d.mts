import type { Plugin } from 'rolldown';

export function watchdogPlugin(): Plugin;

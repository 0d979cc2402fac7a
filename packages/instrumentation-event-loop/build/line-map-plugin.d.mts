import type { Plugin } from 'rolldown';

export function lineMapPlugin(): Plugin;

import type { Plugin } from 'rolldown';

export function nodeModulesPlugin(): Plugin;

import type { Plugin } from 'rolldown';

export function numbersPlugin(): Plugin;

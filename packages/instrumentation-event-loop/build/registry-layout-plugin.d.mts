import type { Plugin } from 'rolldown';

export function registryLayoutPlugin(): Plugin;

import type { Plugin } from 'rolldown';

export declare function asciiPlugin(): Plugin;
export declare function asciiOnly(code: string): string;

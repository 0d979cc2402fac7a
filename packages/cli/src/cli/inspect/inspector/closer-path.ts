import { fileURLToPath } from 'node:url';

/** The program that closes an inspector, beside this one. */
export const CLOSER = fileURLToPath(new URL('./closer.cjs', import.meta.url));

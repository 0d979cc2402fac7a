import { createRequire } from 'node:module';
import { ANY_PATH } from '../contract/any-path.js';

/**
 * Loads a module of Node when it is first needed. The watchdog starts in each process, and most of them end without a
 * hang report: `node:http`, `node:net` and `node:crypto` would take a quarter of the thread's start.
 */
export const requireNode = createRequire(ANY_PATH);

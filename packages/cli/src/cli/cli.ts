#!/usr/bin/env node
import module from 'node:module';
import process from 'node:process';

import { cacheDirectory } from './program/cache-directory.js';

/*
 * CommonJS, because that starts with less work: an import of a module of Node.js reads all of its exports, and their
 * getters load further modules; before Node.js 22, the loader of ES modules loads `fs/promises`, too.
 *
 * Loads `loopwatch` from the compile cache of V8, where Node.js has one (22.8 and later). The cache is set here and not by
 * `NODE_COMPILE_CACHE`, which the program would inherit.
 */
const { enableCompileCache } = module as Partial<typeof module>; // older ones have none
const directory = enableCompileCache && cacheDirectory(process.platform, process.env);
if (directory !== undefined) enableCompileCache?.(directory);

void import('./main.js');

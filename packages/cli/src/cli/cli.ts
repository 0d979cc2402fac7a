#!/usr/bin/env node
import { createRequire } from 'node:module';

/*
 * The rest is CommonJS, because that starts with less work: an import of a module of Node.js reads all of its exports, and
 * their getters load further modules.
 */
createRequire(import.meta.url)('./start.cjs');

import fs from 'node:fs';

/*
 * Taken when the package loads, also for code that is compiled later: tests of the application may put an invented file
 * system in their places.
 */
export const { closeSync, fstatSync, openSync, readlinkSync, readSync, statSync } = fs;

#!/usr/bin/env node
import { readFileSync } from 'node:fs';

import { createProgram } from './commands/command-line.js';

const packageJson = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as {
  version: string;
};

// Nobody reads what is said there any more: the program that runs shall not end for it.
process.stderr.on('error', () => undefined);

try {
  await createProgram(packageJson.version).parseAsync();
} catch (error) {
  console.error(`loopwatch: ${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = 1;
}

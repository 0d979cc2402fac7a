#!/usr/bin/env node
// The `loopwatch` of this workspace, which is linked when packages are installed, before anything is built. The published
// package has dist/cli.cjs in its place.
import { existsSync } from 'node:fs';

const cli = new URL('../dist/cli.cjs', import.meta.url);
if (existsSync(cli)) await import(cli.href);
else {
  console.error('Expected the built program in packages/cli/dist, found none. Build it first: npm run build');
  process.exitCode = 1;
}

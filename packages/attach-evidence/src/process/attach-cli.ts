import path from 'node:path';

import { nodeBinary } from '@loopwatch/node-binaries';

import { cliFile, subjectsDirectory } from '../paths.ts';
import { Child } from './child.ts';

/** Starts `loopwatch attach`. On SIGUSR2, it loses its connections with the process, and goes on itself. */
export function startAttach(pid: number, directory: string, options: readonly string[] = []): Child {
  return new Child(nodeBinary(), [cliFile, 'attach', '--timeout', '30s', ...options, String(pid)], {
    env: { TMPDIR: directory, NODE_OPTIONS: `--require ${path.join(subjectsDirectory, 'cut-connections.cjs')}` },
  });
}

export const WATCHES = /Attached to process/;

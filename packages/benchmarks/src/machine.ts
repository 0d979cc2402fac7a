import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import os from 'node:os';

import { nodeBinary } from '@loopwatch/node-binaries';
import type { NodeMajor } from '@loopwatch/node-binaries';

import type { Peer } from './catalogue.ts';

/** The machine and the Node version of a run. */
export interface Machine {
  readonly cpu: string;
  readonly cores: number;
  readonly memoryGib: number;
  readonly os: string;
  readonly node: string;
}

export function describeMachine(nodeMajor: NodeMajor): Machine {
  const processors = os.cpus();
  return {
    cpu: processors[0]?.model.trim() || 'unknown CPU',
    cores: processors.length,
    memoryGib: Math.round(os.totalmem() / 2 ** 30),
    os: `${os.type()} ${os.release()} ${os.arch()}`,
    node: execFileSync(nodeBinary(nodeMajor), ['--version'], { encoding: 'utf8' }).trim(),
  };
}

/** Load average of the last minute. */
export function loadAverage(): number {
  return os.loadavg()[0]!;
}

/**
 * A warning when other programs used the machine during the run. The benchmark itself keeps at most two cores busy, and
 * the build before it half a core.
 */
export function loadWarning(before: number, after: number, cores: number): string | undefined {
  if (before < cores / 2 && after < Math.max(cores, 2) + 0.5) return undefined;
  return (
    `The machine was busy with other work (load average ${before.toFixed(1)} before and ${after.toFixed(1)} after ` +
    `the run, on ${cores} cores): intervals are wider than on a quiet machine, and the latencies are not reliable.`
  );
}

const require = createRequire(import.meta.url);

/** Versions of the peers' packages. */
export function versionsOf(peers: readonly Peer[]): Record<string, string> {
  return Object.fromEntries(
    peers.flatMap(({ packageName }) => (packageName === undefined ? [] : [[packageName, versionOf(packageName)]])),
  );
}

/** Reads the manifest as a file, because not every package exports its `package.json`. */
function versionOf(packageName: string): string {
  for (const directory of require.resolve.paths(packageName) ?? []) {
    try {
      const manifest = JSON.parse(readFileSync(`${directory}/${packageName}/package.json`, 'utf8')) as {
        version: string;
      };
      return manifest.version;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    }
  }
  throw new Error(`Expected ${packageName} to be installed, but it is not. Run \`npm run setup\`.`);
}

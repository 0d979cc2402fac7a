import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import os from 'node:os';

import { nodeBinary } from '@loopwatch/node-binaries';
import type { NodeMajor } from '@loopwatch/node-binaries';

import type { Peer } from './catalogue.ts';

/** What a measurement was made on. */
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

/** Processes that ran or wanted to, on average over the last minute. */
export function loadAverage(): number {
  return os.loadavg()[0]!;
}

/** A sentence when others want the machine too; the benchmark itself keeps about one and a half cores busy. */
export function loadWarning(before: number, after: number, cores: number): string | undefined {
  const others = cores / 2;
  const busy = Math.max(before, after - 1.5);
  if (busy <= others) return undefined;
  return (
    `The machine was busy with other work (load average ${before.toFixed(1)} before, ${after.toFixed(1)} after, ` +
    `on ${cores} cores): ratios are wider than on a quiet machine, and absolute times say little.`
  );
}

const require = createRequire(import.meta.url);

/** Versions of the peers that are packages. */
export function versionsOf(peers: readonly Peer[]): Record<string, string> {
  return Object.fromEntries(
    peers.flatMap(({ packageName }) => (packageName === undefined ? [] : [[packageName, versionOf(packageName)]])),
  );
}

/** Not every package exports its manifest: it is looked for beside the entry, upwards. */
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
  throw new Error(`Expected ${packageName} to be installed, found none. Run \`npm run setup\`.`);
}

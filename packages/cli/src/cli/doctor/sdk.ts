import type { PackageCopy } from './facts.js';
import { versionParts } from './version.js';

export interface Sdk {
  readonly copy: PackageCopy;
  readonly line: '1.x' | '2.x' | '3.x' | 'newer';
}

/** Packages that start an SDK or are one, the most telling first. */
const SDK_PACKAGES = [
  '@opentelemetry/sdk-node',
  '@opentelemetry/sdk-trace',
  '@opentelemetry/sdk-trace-node',
  '@opentelemetry/sdk-trace-base',
];

/** The SDK among the packages; undefined without one. */
export function sdkOf(packages: readonly PackageCopy[]): Sdk | undefined {
  for (const name of SDK_PACKAGES) {
    const copy = packages.find((candidate) => candidate.name === name);
    if (copy) return { copy, line: lineOf(copy.version) };
  }
  return undefined;
}

/** The experimental packages of an SDK line count from 0.200 (2.x) and from 0.300 (3.x) on. */
function lineOf(version: string): Sdk['line'] {
  const [major, minor] = versionParts(version);
  const line = major === 0 ? Math.floor(minor / 100) : major;
  return line < 2 ? '1.x' : line === 2 ? '2.x' : line === 3 ? '3.x' : 'newer';
}

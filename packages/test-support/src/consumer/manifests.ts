import { readFileSync } from 'node:fs';

import type { SdkLine } from '../combinations.ts';

export type PackageManager = 'npm' | 'pnpm';

interface Versions {
  readonly api: string;
  /** sdk-node, instrumentation and instrumentation-http share one version. */
  readonly experimental: string;
  /** The stable packages: sdk-metrics and the trace SDK. */
  readonly stable: string;
}

// In a file of its own, because ../../platform/check-package.mjs reads it on a Node without type stripping. sdk-node pins
// its version of instrumentation: another version would be installed as a second copy.
const versionsOf = JSON.parse(readFileSync(new URL('../../sdk-lines.json', import.meta.url), 'utf8')) as Readonly<
  Record<SdkLine, Versions>
>;

/** The dependencies of an application on an SDK line, in exact versions. */
export function dependenciesOf(sdk: SdkLine): Record<string, string> {
  const { api, experimental, stable } = versionsOf[sdk];
  return {
    '@opentelemetry/api': api,
    '@opentelemetry/instrumentation': experimental,
    '@opentelemetry/instrumentation-http': experimental,
    '@opentelemetry/sdk-metrics': stable,
    '@opentelemetry/sdk-node': experimental,
    '@opentelemetry/sdk-trace': stable,
    // For the tests of the package's types, which need @types/node as an application has it.
    '@types/node': '22.19.1',
  };
}

/** The manifest of an application on an SDK line, with its other dependencies. */
export function manifestOf(sdk: SdkLine, extras: Readonly<Record<string, string>> = {}): string {
  const manifest = {
    name: `consumer-${sdk}`,
    version: '0.0.0',
    private: true,
    dependencies: { ...dependenciesOf(sdk), ...extras },
  };
  return `${JSON.stringify(manifest, null, 2)}\n`;
}

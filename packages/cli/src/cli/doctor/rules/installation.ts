import type { Facts, PackageCopy } from '../facts.js';
import { rule } from '../rule.js';
import { sdkOf } from '../sdk.js';
import { isAtLeast, versionParts } from '../version.js';

const INSTRUMENTATION = '@loopwatch/instrumentation-event-loop';
const BASE = '@opentelemetry/instrumentation';
/** Packages of which two copies in one process do not know each other's registrations. */
const ONE_COPY = ['@opentelemetry/api', BASE, INSTRUMENTATION];

/** Which packages are installed, and whether they fit together. */
export const installationRules = [
  rule<string>({
    name: 'node-not-supported',
    check: ({ nodeVersion }) =>
      nodeVersion !== undefined &&
      !(isAtLeast(nodeVersion, 22, 0) || (isAtLeast(nodeVersion, 20, 6) && versionParts(nodeVersion)[0] === 20))
        ? [nodeVersion]
        : [],
    summary: (version) => `Node.js ${version} is not supported.`,
    remedy: () => 'Use Node.js 20.6 or newer of 20, or 22 and newer.',
  }),
  rule<null>({
    name: 'instrumentation-not-installed',
    check: (facts) => (isInstalled(facts) || facts.hasPlugAndPlay ? [] : [null]),
    summary: () => `${INSTRUMENTATION} cannot be resolved from here: nothing is instrumented.`,
    remedy: () => `npm install ${INSTRUMENTATION} @opentelemetry/api @opentelemetry/instrumentation`,
  }),
  rule<null>({
    name: 'sdk-not-found',
    check: (facts) => (isInstalled(facts) && !sdkOf(facts.packages) ? [null] : []),
    summary: () => 'No OpenTelemetry SDK is installed: no span and no metric is exported.',
    remedy: () =>
      'npm install @opentelemetry/sdk-node (with @0.223.0 on Node.js 20). Without an SDK, only the channel ' +
      'loopwatch:block of diagnostics_channel reports blocks.',
  }),
  rule<{ readonly node: string; readonly sdk: string }>({
    name: 'sdk-needs-newer-node',
    check: ({ nodeVersion, packages }) => {
      const sdk = sdkOf(packages);
      return nodeVersion !== undefined && sdk?.line === '3.x' && !isAtLeast(nodeVersion, 22, 15)
        ? [{ node: nodeVersion, sdk: nameOf(sdk.copy) }]
        : [];
    },
    summary: ({ node, sdk }) => `${sdk} needs Node.js 22.15 or newer, this is ${node}.`,
    remedy: () =>
      'npm install @opentelemetry/sdk-node@0.223.0 @opentelemetry/instrumentation@0.223.0, or update Node.js.',
  }),
  rule<PackageCopy>({
    name: 'version-not-supported',
    check: ({ packages }) => packages.filter(isOutOfRange),
    summary: (copy) => `${nameOf(copy)} is not supported${byOf(copy)}.`,
    remedy: ({ name }) =>
      name === '@opentelemetry/api'
        ? 'npm install @opentelemetry/api@^1.9.0'
        : 'Install a version of @opentelemetry/instrumentation from 0.200 to 0.399, that of your SDK.',
  }),
  rule<readonly PackageCopy[]>({
    name: 'two-copies',
    check: ({ packages }) =>
      ONE_COPY.map((name) => packages.filter((copy) => copy.name === name)).filter(
        (copies) => copies.length > 1 && !areOfOneRelease(copies),
      ),
    summary: (copies) =>
      `${copies.length} copies of ${copies[0]?.name ?? ''} are loaded: ${copies.map((copy) => `${copy.version}${byOf(copy)}`).join(', ')}. ` +
      'What one of them registers, the others may not find: spans get lost.',
    remedy: ([copy]) =>
      `npm ls ${copy?.name ?? ''} shows where they come from. Bring all OpenTelemetry packages to one release, then: npm dedupe`,
  }),
];

/**
 * Whether they are base classes of one minor version. npm installs its newest patch for one package and the one before for
 * the SDK: the hooks of both work side by side.
 */
function areOfOneRelease(copies: readonly PackageCopy[]): boolean {
  const releases = copies.map(({ version }) => versionParts(version).slice(0, 2).join('.'));
  return copies[0]?.name === BASE && new Set(releases).size === 1;
}

function isInstalled({ packages }: Facts): boolean {
  return packages.some(({ name }) => name === INSTRUMENTATION);
}

function isOutOfRange({ name, version }: PackageCopy): boolean {
  if (name === '@opentelemetry/api') return !isAtLeast(version, 1, 9) || versionParts(version)[0] !== 1;
  if (name !== BASE) return false;
  return !isAtLeast(version, 0, 200) || isAtLeast(version, 0, 400);
}

function nameOf({ name, version }: PackageCopy): string {
  return `${name} ${version}`;
}

function byOf({ usedBy }: PackageCopy): string {
  return ` (of ${usedBy})`;
}

import { createHash } from 'node:crypto';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';

import type { NodeMajor } from '@loopwatch/node-binaries';
import { consumerWith } from '@loopwatch/test-support';
import type { Extras, SdkLine } from '@loopwatch/test-support';

import { cliDirectory, fieldCacheDirectory } from '../paths.ts';
import { makeFolderOnce } from './folder-once.ts';
import { runCommand } from './run-command.ts';

/** The packed packages, installed as a user installs them. */
export interface InstalledLoopwatch {
  /** Application folder with @loopwatch/instrumentation-event-loop, an SDK and OpenTelemetry's auto-instrumentation. */
  readonly applicationDirectory: string;
  /** Entry point of the CLI. */
  readonly cli: string;
}

/** Auto-instrumentation, and the packages of the SDK in the versions that it requires: there must be one copy. */
const autoInstrumentation: Readonly<Record<SdkLine, Extras>> = {
  sdk2: { name: 'auto', dependencies: { '@opentelemetry/auto-instrumentations-node': '0.81.2' } },
  sdk3: {
    name: 'auto',
    dependencies: {
      '@opentelemetry/auto-instrumentations-node': '0.82.0',
      '@opentelemetry/instrumentation': '0.300.0',
      '@opentelemetry/instrumentation-http': '0.300.0',
      '@opentelemetry/sdk-node': '0.300.0',
    },
  },
};

export async function installLoopwatch(nodeMajor: NodeMajor): Promise<InstalledLoopwatch> {
  const sdk: SdkLine = nodeMajor < 24 ? 'sdk2' : 'sdk3';
  const { directory } = await consumerWith(sdk, autoInstrumentation[sdk]);
  return { applicationDirectory: directory, cli: await installCli() };
}

async function installCli(): Promise<string> {
  const dist = path.join(cliDirectory, 'dist');
  if (!existsSync(path.join(dist, 'cli.cjs'))) {
    throw new Error(`Expected the built CLI in ${dist}, found none. Run \`npm run build\` first.`);
  }
  const hash = createHash('sha256').update(readFileSync(path.join(cliDirectory, 'package.json')));
  for (const file of readdirSync(dist).sort()) hash.update(file).update(readFileSync(path.join(dist, file)));
  const directory = path.join(fieldCacheDirectory(), `loopwatch-cli-${hash.digest('hex').slice(0, 12)}`);
  await makeFolderOnce(directory, async (scratch) => {
    await runCommand(['npm', 'pack', '--silent', '--pack-destination', scratch], cliDirectory);
    const tarball = readdirSync(scratch).find((file) => file.endsWith('.tgz'));
    if (tarball === undefined) throw new Error(`Expected \`npm pack\` to write a tarball to ${scratch}, found none.`);
    await runCommand(['npm', 'init', '--yes'], scratch);
    await runCommand(['npm', 'install', '--no-audit', '--no-fund', '--prefer-offline', `./${tarball}`], scratch);
  });
  return path.join(directory, 'node_modules/loopwatch/dist/cli.cjs');
}

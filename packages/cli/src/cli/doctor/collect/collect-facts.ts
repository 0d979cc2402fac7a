import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { performance } from 'node:perf_hooks';
import process from 'node:process';

import { readVariable } from '@loopwatch/instrumentation-event-loop/internal';

import { nodeBinaryOf, readProcess } from '../../inspect/process/processes.js';
import type { Environment, Facts } from '../facts.js';
import { tracesEndpoint, withoutCredentials } from '../otlp-endpoint.js';
import { configurationWarnings } from './configuration-warnings.js';
import { askExporter } from './exporter.js';
import { hasPlugAndPlay, packageCopies } from './packages.js';
import { systemFacts } from './system.js';
import { directoryTarget, processTarget } from './target.js';

/** Variables that name a file which has to be there. The directory of the spool is made where it is missing. */
const FILE_VARIABLES = [
  'OTEL_CONFIG_FILE',
  ...['', 'TRACES_', 'METRICS_'].flatMap((signal) =>
    ['CERTIFICATE', 'CLIENT_KEY', 'CLIENT_CERTIFICATE'].map((file) => `OTEL_EXPORTER_OTLP_${signal}${file}`),
  ),
];

/** Collects the facts about a process, or about the working directory and the environment of this command. */
export async function collectFacts(pid: number | undefined, loopwatchVersion: string): Promise<Facts> {
  const started = { wall: Date.now(), monotonic: performance.now() };
  const { target, isTrusted, packageDirectory, env, flags, inspector } =
    pid === undefined ? directoryTarget() : processTarget(pid);
  const packages = packageDirectory === undefined ? [] : packageCopies(packageDirectory);
  const instrumentation = packages.find(({ name }) => name === '@loopwatch/instrumentation-event-loop');
  const endpoint = env && tracesEndpoint(env);
  const missingFiles = filesMissing(env, packageDirectory);
  const [warnings, reply] = await Promise.all([
    instrumentation && env && packageDirectory !== undefined && isTrusted
      ? configurationWarnings(instrumentation.directory, packageDirectory, env)
      : [],
    // Its variables name the files of keys, too.
    endpoint && missingFiles.length === 0 && isTrusted
      ? askExporter(endpoint, env, packageDirectory ?? process.cwd())
      : undefined,
  ]);
  return {
    target,
    platform: process.platform,
    loopwatchVersion,
    nodeVersion: pid === undefined ? process.version : isTrusted ? versionOf(pid) : undefined,
    hasPlugAndPlay: packageDirectory !== undefined && hasPlugAndPlay(packageDirectory),
    packages,
    env,
    flags,
    configurationWarnings: warnings,
    missingFiles,
    inspector,
    system: systemFacts(pid ?? 'self'),
    exporter: endpoint &&
      reply && {
        url: withoutCredentials(endpoint.url),
        protocol: endpoint.protocol,
        variable: endpoint.variable,
        answer: reply.answer,
      },
    clock: {
      stepMs: Date.now() - started.wall - (performance.now() - started.monotonic),
      // The header has whole seconds: its middle.
      skewMs: reply?.date && reply.date.ownMs - (reply.date.receiverMs + 500),
    },
  };
}

function filesMissing(env: Environment | undefined, directory: string | undefined): Facts['missingFiles'] {
  if (!env || directory === undefined) return [];
  return FILE_VARIABLES.flatMap((variable) => {
    const file = readVariable(env, variable);
    return file === undefined || existsSync(path.resolve(directory, file)) ? [] : [{ variable, path: file }];
  });
}

/** What the binary of the process says. */
function versionOf(pid: number): string | undefined {
  const info = readProcess(pid);
  const binary = info && nodeBinaryOf(info);
  if (binary === undefined) return undefined;
  const { stdout } = spawnSync(binary, ['--version'], { env: {}, encoding: 'utf8', timeout: 5000 });
  return /^v\d+\.\d+\.\d+/.exec(stdout)?.[0];
}

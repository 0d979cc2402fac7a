import { createRequire } from 'node:module';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

import { wantedRate } from '@loopwatch/test-support';

import type { InstalledLoopwatch } from '../install/loopwatch.ts';
import type { Mode } from '../program.ts';

export interface Launch {
  readonly command: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

export interface LaunchOptions {
  readonly mode: Mode;
  /** Command line of the program; `node` stands for the binary. */
  readonly command: readonly string[];
  readonly nodeBinary: string;
  readonly loopwatch: InstalledLoopwatch;
  /** File for the recording of `loopwatch run`. */
  readonly recording: string;
  /** Base URL of the receiver for OTLP. */
  readonly otlpUrl: string;
  /** Records V8's CPU profiles, where they are wanted. */
  readonly profiler?: {
    readonly preload: string;
    /** `${pid}` stands for the process. */
    readonly traceFiles: string;
  };
}

/** The command line and the environment of a program in a mode. */
export function launchOf(options: LaunchOptions): Launch {
  const { mode, nodeBinary, loopwatch, profiler } = options;
  const command = options.command.map((word) => (word === 'node' ? nodeBinary : word));
  const { resolve } = createRequire(path.join(loopwatch.applicationDirectory, 'noop.js'));
  const nodeOptions = [
    ...(profiler === undefined
      ? []
      : [`--require ${quote(profiler.preload)}`, `--trace-event-file-pattern=${quote(profiler.traceFiles)}`]),
    ...(mode.startsWith('auto')
      ? [`--require ${quote(resolve('@opentelemetry/auto-instrumentations-node/register'))}`]
      : []),
    ...(mode.endsWith('register')
      ? [`--import ${quote(moduleUrl(resolve('@loopwatch/instrumentation-event-loop/register')))}`]
      : []),
  ];
  const sendsOtlp = mode !== 'plain' && mode !== 'run';
  return {
    command:
      mode === 'run'
        ? [nodeBinary, loopwatch.cli, 'run', '--no-color', '--json', options.recording, '--', ...command]
        : command,
    env: {
      ...wantedRate(),
      ...(nodeOptions.length > 0 && { NODE_OPTIONS: nodeOptions.join(' ') }),
      ...(sendsOtlp && {
        OTEL_EXPORTER_OTLP_ENDPOINT: options.otlpUrl,
        OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
        OTEL_LOGS_EXPORTER: 'none',
        OTEL_METRICS_EXPORTER: 'none',
        // The detectors of clouds wait for addresses that do not answer.
        OTEL_NODE_RESOURCE_DETECTORS: 'env,host,os,process',
        LOOPWATCH_SPANS_PER_MINUTE: '10000',
        // A server that ends by SIGINT, or by process.exit() in a listener, loses the spans that the SDK still holds.
        OTEL_BSP_SCHEDULE_DELAY: '200',
      }),
    },
  };
}

/** `require.resolve` finds the CommonJS file; `--import` of the package's name, from any folder, finds this one. */
function moduleUrl(file: string): string {
  return pathToFileURL(file.replace(/\.cjs$/, '.mjs')).href;
}

/** For `NODE_OPTIONS`, in which a backslash escapes. */
function quote(word: string): string {
  return `"${word.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`;
}

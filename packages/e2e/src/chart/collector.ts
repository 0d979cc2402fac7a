import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';

import { eventually } from '../eventually.ts';
import { freeStackPorts } from '../stack-ports.ts';

/** A collector with a configuration of the chart, as a process of this machine. */
export interface RunningCollector {
  readonly pid: number;
  readonly otlpUrl: string;
  /** `host:port` of its receiver for OTLP/gRPC. */
  readonly otlpGrpc: string;
  stop(): Promise<void>;
}

/**
 * Starts a collector on free ports and waits for its health check.
 * @param directory for its configuration and its queue
 * @param under a command that starts it, with its arguments, such as `taskset`
 * @param onSpawn is called with its process id before it is ready
 */
export async function startCollector(
  binary: string,
  config: string,
  directory: string,
  environment: Readonly<Record<string, string>>,
  under: readonly string[] = [],
  onSpawn: (pid: number) => void = () => undefined,
): Promise<RunningCollector> {
  const ports = await freeStackPorts();
  mkdirSync(directory, { recursive: true });
  const file = path.join(directory, 'config.yaml');
  writeFileSync(file, config);
  const [command, ...words] = [...under, binary, '--config', file];
  const child: ChildProcess = spawn(command, words, {
    stdio: ['ignore', 'ignore', 'inherit'],
    env: {
      ...process.env,
      ...environment,
      LOOPWATCH_COLLECTOR_STORAGE_DIR: directory,
      LOOPWATCH_COLLECTOR_OTLP_HTTP_ENDPOINT: `127.0.0.1:${ports.otlpHttp}`,
      LOOPWATCH_COLLECTOR_OTLP_GRPC_ENDPOINT: `127.0.0.1:${ports.otlpGrpc}`,
      LOOPWATCH_COLLECTOR_HEALTH_ENDPOINT: `127.0.0.1:${ports.collectorHealth}`,
      LOOPWATCH_COLLECTOR_LOG_LEVEL: 'error',
    },
  });
  if (child.pid !== undefined) onSpawn(child.pid);
  const isReady = async () =>
    (await fetch(`http://127.0.0.1:${ports.collectorHealth}/`).catch(() => undefined))?.ok === true;
  await eventually('the collector is ready', isReady, (ready) => ready, { withinMs: 60_000 });
  return {
    pid: child.pid!,
    otlpUrl: `http://127.0.0.1:${ports.otlpHttp}`,
    otlpGrpc: `127.0.0.1:${ports.otlpGrpc}`,
    stop: async () => {
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.kill('SIGTERM');
      await once(child, 'exit');
    },
  };
}

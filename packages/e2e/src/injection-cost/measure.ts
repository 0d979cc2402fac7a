import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

/** What one process used; times in ms, memory in MiB. */
export interface InjectionCost {
  readonly startMs: number;
  readonly startCpuMs: number;
  /** Start, SDK and the requests. */
  readonly totalCpuMs: number;
  /** Anonymous: what no other process and no file shares. */
  readonly memoryMib: number;
}

const REQUESTS = 200;
/** After the application has started, in which the SDK is loaded, and after the requests. */
const SETTLE_MS = 2000;
/** USER_HZ of Linux. */
const TICKS_PER_SECOND = 100;

/** Starts an application, asks it, and ends it. */
export async function measureInjection(
  node: string,
  application: string,
  variables: Readonly<Record<string, string>>,
): Promise<InjectionCost> {
  const startedAtMs = performance.now();
  const child = spawn(node, [application], { stdio: ['ignore', 'pipe', 'inherit'], env: variables });
  try {
    const port = await portOf(child.stdout);
    const startMs = performance.now() - startedAtMs;
    const startCpuMs = cpuMsOf(child.pid!);
    await sleep(SETTLE_MS);
    for (let count = 0; count < REQUESTS; count++) await (await fetch(`http://127.0.0.1:${port}/`)).arrayBuffer();
    await sleep(SETTLE_MS);
    return { startMs, startCpuMs, totalCpuMs: cpuMsOf(child.pid!), memoryMib: memoryMibOf(child.pid!) };
  } finally {
    child.kill('SIGKILL');
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  }
}

async function portOf(stdout: NodeJS.ReadableStream): Promise<string> {
  let text = '';
  for await (const chunk of stdout) {
    text += String(chunk);
    const [, port] = /listening on (\d+)/.exec(text) ?? [];
    if (port !== undefined) return port;
  }
  throw new Error(`Expected the application to listen, but it ended: ${text}`);
}

function cpuMsOf(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)!.split(' ');
  return ((Number(fields[11]) + Number(fields[12])) * 1000) / TICKS_PER_SECOND;
}

function memoryMibOf(pid: number): number {
  const [, kib] = /^Anonymous:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8')) ?? [];
  return Number(kib) / 1024;
}

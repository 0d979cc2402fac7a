import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import type { ProgramName } from '../../../scripts/stack/configuration.mjs';
import { freePorts } from '../../../scripts/stack/ports.mjs';
import { startStack, type Stack } from '../../../scripts/stack/stack.mjs';
import { Jaeger } from './backends/jaeger.ts';
import { Prometheus } from './backends/prometheus.ts';

/** Shorter than in production, so that tests need not wait for what they do not test. */
const shortIntervals = {
  LOOPWATCH_COLLECTOR_DECISION_WAIT: '6s',
  LOOPWATCH_COLLECTOR_ROOT_WAIT: '3s',
  LOOPWATCH_COLLECTOR_METRICS_INTERVAL: '2s',
};

/** The whole native stack for one test file: on free ports, in a temporary folder, gone with the file. */
export class TestStack {
  readonly jaeger: Jaeger;
  readonly prometheus: Prometheus;
  /** Base URL for `OTEL_EXPORTER_OTLP_ENDPOINT`. */
  readonly otlpUrl: string;
  readonly #stack: Stack;
  readonly #reaper: ChildProcess;

  private constructor(stack: Stack, reaper: ChildProcess) {
    this.#stack = stack;
    this.#reaper = reaper;
    this.jaeger = new Jaeger(stack.urls.jaeger);
    this.prometheus = new Prometheus(stack.urls.prometheus);
    this.otlpUrl = stack.urls.otlp;
  }

  static async start(environment: Readonly<Record<string, string>> = {}): Promise<TestStack> {
    const directory = mkdtempSync(path.join(tmpdir(), 'loopwatch-e2e-'));
    const reaper = spawn(process.execPath, [path.join(import.meta.dirname, 'reaper.mjs'), directory], {
      stdio: ['pipe', 'ignore', 'inherit'],
      detached: true,
    });
    const stack = await startStack({
      ports: await freePorts(),
      dataDirectory: directory,
      environment: { ...shortIntervals, ...environment },
      log: (line: string) => process.stderr.write(`${line}\n`),
    });
    const testStack = new TestStack(stack, reaper);
    testStack.#guardStackProcesses();
    return testStack;
  }

  async startProgram(name: ProgramName): Promise<void> {
    await this.#stack.start(name);
    this.#guardStackProcesses();
  }

  /** As a shutdown would. */
  async stopProgram(name: ProgramName): Promise<void> {
    await this.#stack.stop(name);
  }

  /** As a crash would. */
  async killProgram(name: ProgramName): Promise<void> {
    await this.#stack.kill(name);
  }

  /** A process that is to end with this stack, whatever happens. */
  guard(pid: number): void {
    this.#reaper.stdin?.write(`${pid}\n`);
  }

  async stop(): Promise<void> {
    await this.#stack.stop();
    this.#reaper.stdin?.end('done\n');
    if (this.#reaper.exitCode === null) await once(this.#reaper, 'exit');
  }

  #guardStackProcesses(): void {
    for (const pid of Object.values(this.#stack.pids)) this.guard(pid);
  }
}

import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import type { ProgramName } from '../../../scripts/stack/configuration.mjs';
import { startStack, type Stack } from '../../../scripts/stack/stack.mjs';
import { Alertmanager } from './backends/alertmanager.ts';
import { Jaeger } from './backends/jaeger.ts';
import { Prometheus } from './backends/prometheus.ts';
import { freeStackPorts } from './stack-ports.ts';

/** Shorter than in production, so that tests do not wait long. */
const shortIntervals = {
  LOOPWATCH_COLLECTOR_DECISION_WAIT: '6s',
  LOOPWATCH_COLLECTOR_ROOT_WAIT: '3s',
  LOOPWATCH_COLLECTOR_METRICS_INTERVAL: '2s',
};

/** The whole native stack for one test file, on free ports and in a temporary folder. It ends with the test file. */
export class TestStack {
  readonly jaeger: Jaeger;
  readonly prometheus: Prometheus;
  readonly alertmanager: Alertmanager;
  /** Base URL for `OTEL_EXPORTER_OTLP_ENDPOINT`. */
  readonly otlpUrl: string;
  /** Prometheus' blocks and its log of samples. */
  readonly prometheusDirectory: string;
  readonly #stack: Stack;
  readonly #reaper: ChildProcess;

  private constructor(stack: Stack, reaper: ChildProcess) {
    this.#stack = stack;
    this.#reaper = reaper;
    this.jaeger = new Jaeger(stack.urls.jaeger);
    this.prometheus = new Prometheus(stack.urls.prometheus);
    this.alertmanager = new Alertmanager(stack.urls.alertmanager);
    this.otlpUrl = stack.urls.otlp;
    this.prometheusDirectory = path.join(stack.plan.dataDirectory, 'prometheus');
  }

  static async start(environment: Readonly<Record<string, string>> = {}): Promise<TestStack> {
    const directory = mkdtempSync(path.join(tmpdir(), 'loopwatch-e2e-'));
    const reaper = spawn(process.execPath, [path.join(import.meta.dirname, 'reaper.mjs'), directory], {
      stdio: ['pipe', 'ignore', 'inherit'],
      detached: true,
    });
    const stack = await startStack({
      ports: await freeStackPorts(),
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

  /** Stops a program in the regular way. */
  async stopProgram(name: ProgramName): Promise<void> {
    await this.#stack.stop(name);
  }

  /** Kills a program, as a crash does. */
  async killProgram(name: ProgramName): Promise<void> {
    await this.#stack.kill(name);
  }

  /** Makes sure that a process ends with this stack, even when the test's process crashes. */
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

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

const distDirectory = path.join(import.meta.dirname, '../../dist');
const KILL_AFTER_MS = 110_000;

/** Arguments of `node` that run the service with its telemetry. */
export const SERVICE_COMMAND = ['--enable-source-maps', '--import', distUrl('telemetry.mjs'), distFile('service.mjs')];

export function distFile(name: string): string {
  const file = path.join(distDirectory, name);
  if (!existsSync(file))
    throw new Error(`Expected the built demo at ${file}, but there is no such file. Run \`npm run build\` first.`);
  return file;
}

function distUrl(name: string): string {
  return new URL(`file://${distFile(name)}`).href;
}

/** A Node.js program that is killed before the test times out. */
export class ChildProgram {
  output = '';
  readonly #process: ChildProcess;
  readonly #closed: Promise<unknown>;

  constructor(command: readonly string[], environment: Readonly<Record<string, string>>, killAfterMs = KILL_AFTER_MS) {
    // A killed program does not remove its temporary files; this class does.
    const temporaryDirectory = mkdtempSync(path.join(os.tmpdir(), 'loopwatch-demo-test-'));
    const inherited = {
      ...process.env,
      OTEL_EXPORTER_OTLP_ENDPOINT: '',
      PORT: '0',
      FORCE_COLOR: '0',
      TMPDIR: temporaryDirectory,
    };
    this.#process = spawn(process.execPath, [...command], {
      env: { ...inherited, ...environment },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    for (const stream of [this.#process.stdout, this.#process.stderr]) {
      stream?.setEncoding('utf8').on('data', (chunk: string) => {
        this.output += chunk;
      });
    }
    const killer = setTimeout(() => this.#process.kill('SIGKILL'), killAfterMs);
    this.#closed = once(this.#process, 'close').then(() => {
      clearTimeout(killer);
      rmSync(temporaryDirectory, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
    });
  }

  /** Waits until the output matches; fails when the program ends before that. */
  async waitForOutput(pattern: RegExp): Promise<RegExpExecArray> {
    for (;;) {
      const match = pattern.exec(this.output);
      if (match !== null) return match;
      const { exitCode, signalCode } = this.#process;
      if (exitCode !== null || signalCode !== null) {
        throw new Error(`Expected output that matches ${String(pattern)}, but the program ended:\n${this.output}`);
      }
      await delay(20);
    }
  }

  get pid(): number {
    return this.#process.pid!;
  }

  signal(signal: NodeJS.Signals): void {
    this.#process.kill(signal);
  }

  /** Waits for the end; resolves with the exit code or the signal. */
  async ended(): Promise<number | NodeJS.Signals | null> {
    await this.#closed;
    return this.#process.exitCode ?? this.#process.signalCode;
  }

  async kill(): Promise<void> {
    this.#process.kill('SIGKILL');
    await this.#closed;
  }
}

/** Whether a server answers at this address. */
export async function isServing(url: string): Promise<boolean> {
  try {
    await fetch(url, { signal: AbortSignal.timeout(5000) });
    return true;
  } catch {
    return false;
  }
}

import path from 'node:path';

import { ensureBuilt } from './build.mjs';
import { programsOf, urlsOf } from './configuration.mjs';
import { parts } from './parts.mjs';
import { defaultPorts, takenPorts } from './ports.mjs';
import { isRunning, killProcess, startProgram, stopProcess } from './processes.mjs';

export { cacheDirectory, ensureBuilt } from './build.mjs';
export { GoMissingError } from './go-toolchain.mjs';
export { composePart, parts, repositoryRoot } from './parts.mjs';
export { defaultPorts, freePorts } from './ports.mjs';

/**
 * Builds what is missing, then starts Prometheus, Jaeger and the collector on loopback and waits until all answer.
 * When one does not, those already running are stopped again.
 */
export async function startStack({ ports = defaultPorts, dataDirectory, env = {}, log = () => {} }) {
  const binaries = await ensureBuilt(parts, { log });
  const taken = await takenPorts(ports);
  if (taken.length > 0) {
    const list = taken.map(({ name, port }) => `${port} (${name})`).join(', ');
    throw new Error(
      `Expected the ports of the stack to be free on 127.0.0.1, but something listens on ${list}. ` +
        'Stop it (`npm run stack status` tells whether it is a stack of this checkout), then try again.',
    );
  }
  const programs = programsOf({ binaries, ports, dataDirectory, env });
  const stack = new Stack({ programs, urls: urlsOf(ports), ports, dataDirectory, binaries });
  try {
    // Backends first, so that the collector's first words about itself find somebody to hear them.
    await Promise.all([stack.start('prometheus'), stack.start('jaeger')]);
    await stack.start('collector');
  } catch (error) {
    await stack.stop();
    throw error;
  }
  return stack;
}

/** A running native stack. Each program can be stopped, killed and started again, which is how faults are tested. */
export class Stack {
  #programs;
  #pids = new Map();

  constructor({ programs, urls, ports, dataDirectory, binaries, pids = {} }) {
    this.#programs = new Map(programs.map((program) => [program.name, program]));
    this.urls = urls;
    this.ports = ports;
    this.dataDirectory = dataDirectory;
    this.binaries = binaries;
    for (const [name, pid] of Object.entries(pids)) this.#pids.set(name, pid);
  }

  /** Process ids by program name. */
  get pids() {
    return Object.fromEntries(this.#pids);
  }

  get logDirectory() {
    return path.join(this.dataDirectory, 'logs');
  }

  isRunning(name) {
    const pid = this.#pids.get(name);
    return pid !== undefined && isRunning(pid, this.#program(name).command);
  }

  /** Starts one program on the data and ports it had before; returns when it answers. */
  async start(name) {
    if (this.isRunning(name)) return;
    this.#pids.set(name, await startProgram(this.#program(name), this.logDirectory));
  }

  /** Ends one program as a shutdown would, with SIGTERM. Without a name: all of them, the collector first. */
  async stop(name) {
    const names = name === undefined ? ['collector', 'jaeger', 'prometheus'] : [name];
    for (const each of names) {
      const pid = this.#pids.get(each);
      if (pid !== undefined) await stopProcess(pid, this.#program(each).command);
      this.#pids.delete(each);
    }
  }

  /** Ends one program as a crash would, with SIGKILL. */
  async kill(name) {
    const pid = this.#pids.get(name);
    if (pid !== undefined) await killProcess(pid, this.#program(name).command);
    this.#pids.delete(name);
  }

  #program(name) {
    const program = this.#programs.get(name);
    if (program === undefined) {
      throw new Error(`Expected one of ${[...this.#programs.keys()].join(', ')}, got ${JSON.stringify(name)}.`);
    }
    return program;
  }
}

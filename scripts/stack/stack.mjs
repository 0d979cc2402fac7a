import path from 'node:path';

import { Failure } from '../lib/failure.mjs';
import { ensureBuilt } from './build.mjs';
import { programsOf, urlsOf } from './configuration.mjs';
import { parts } from './parts.mjs';
import { takenPorts } from './ports.mjs';
import { isRunning, killProcess, startProgram, stopProcess } from './processes.mjs';

/** @typedef {import('./configuration.mjs').ProgramName} ProgramName */
/** @typedef {import('./ports.mjs').Ports} Ports */

/**
 * @typedef {object} StackPlan what is needed to start a stack, or to find a running one again
 * @property {Ports} ports
 * @property {string} dataDirectory
 * @property {Record<string, string>} binaries
 * @property {Readonly<Record<string, string>>} [environment] overrides for all programs
 * @property {Readonly<Partial<Record<ProgramName, number>>>} [pids] of programs that already run
 */

/**
 * Builds what is missing, then starts Prometheus, Alertmanager, Jaeger and the collector on loopback and waits until all answer.
 * If one does not, the others are stopped.
 * @param {object} options
 * @param {Ports} options.ports
 * @param {string} options.dataDirectory
 * @param {Readonly<Record<string, string>>} [options.environment]
 * @param {(line: string) => void} options.log
 */
export async function startStack({ ports, dataDirectory, environment = {}, log }) {
  const binaries = await ensureBuilt(parts, log);
  const taken = await takenPorts(ports);
  if (taken.length > 0) {
    const list = taken.map(({ name, port }) => `${port} (${name})`).join(', ');
    throw new Failure(
      `Expected the ports of the stack to be free on 127.0.0.1, but something listens on ${list}. ` +
        'Stop it (`npm run stack status` shows whether it is the stack of this checkout) and try again.',
    );
  }
  const stack = new Stack({ ports, dataDirectory, binaries, environment });
  try {
    // Backends first, so that they receive the collector's first telemetry about itself.
    await Promise.all([stack.start('prometheus'), stack.start('jaeger'), stack.start('alertmanager')]);
    await stack.start('collector');
  } catch (error) {
    await stack.stop();
    throw error;
  }
  return stack;
}

/** The native stack. Tests of faults stop, kill and restart single programs. */
export class Stack {
  #programs;
  /** @type {Map<ProgramName, number>} */
  #pids;

  /** @param {StackPlan} plan */
  constructor(plan) {
    this.#programs = programsOf(plan);
    this.#pids = new Map(/** @type {[ProgramName, number][]} */ (Object.entries(plan.pids ?? {})));
    this.plan = plan;
    this.urls = urlsOf(plan.ports);
    this.logDirectory = path.join(plan.dataDirectory, 'logs');
  }

  /** Process ids by program name. */
  get pids() {
    return Object.fromEntries(this.#pids);
  }

  /** @param {ProgramName} name */
  isRunning(name) {
    const pid = this.#pids.get(name);
    return pid !== undefined && isRunning(pid, this.#program(name).command);
  }

  /**
   * Starts one program with its earlier data and ports; returns when it answers.
   * @param {ProgramName} name
   */
  async start(name) {
    if (this.isRunning(name)) return;
    this.#pids.set(name, await startProgram(this.#program(name), this.logDirectory));
  }

  /**
   * Ends one program with SIGTERM, as a shutdown does. Without a name: all of them, the collector first.
   * @param {ProgramName} [name]
   */
  async stop(name) {
    /** @type {ProgramName[]} */
    const names = name === undefined ? ['collector', 'jaeger', 'prometheus', 'alertmanager'] : [name];
    for (const each of names) {
      const pid = this.#pids.get(each);
      if (pid !== undefined) await stopProcess(pid, this.#program(each).command);
      this.#pids.delete(each);
    }
  }

  /**
   * Ends one program with SIGKILL, as a crash does.
   * @param {ProgramName} name
   */
  async kill(name) {
    const pid = this.#pids.get(name);
    if (pid !== undefined) await killProcess(pid, this.#program(name).command);
    this.#pids.delete(name);
  }

  /** @param {ProgramName} name */
  #program(name) {
    const program = this.#programs.find((each) => each.name === name);
    if (program === undefined)
      throw new Error(`Expected collector, jaeger, prometheus or alertmanager, got ${JSON.stringify(name)}.`);
    return program;
  }
}

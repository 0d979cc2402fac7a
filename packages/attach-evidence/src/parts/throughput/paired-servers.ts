import { Agent } from 'node:http';
import path from 'node:path';

import { nodeBinary } from '@loopwatch/node-binaries';
import type { NodeMajor } from '@loopwatch/node-binaries';

import { subjectsDirectory } from '../../paths.ts';
import { Child } from '../../process/child.ts';
import { cpuTimeMs } from '../../process/cpu-time.ts';
import { isAnswered } from '../stress/load.ts';

/** Two servers that serve windows of requests alternately, so that a disturbance of the machine slows both. */
export class PairedServers {
  readonly #servers: readonly Server[];

  private constructor(servers: readonly Server[]) {
    this.#servers = servers;
  }

  static async start(major: NodeMajor): Promise<PairedServers> {
    return new PairedServers([await startServer(major), await startServer(major)]);
  }

  /** The id of the first server's process: the other one is the control. */
  get pid(): number {
    return this.#servers[0]!.child.pid;
  }

  /** Has the first server start a worker thread and open a connection, or end both. */
  toggleOwnThread(): void {
    process.kill(this.pid, 'SIGUSR2');
  }

  /**
   * Logarithms of the CPU time per request of the first server, relative to the control: one for each pair of windows.
   * A pair of windows is left out when a thread of either server ended in it and took its CPU time with it.
   */
  async measure(windows: number, requests: number, random: () => number): Promise<number[]> {
    const ratios: number[] = [];
    for (let window = 0; window < windows; window++) {
      const order = random() < 0.5 ? [0, 1] : [1, 0];
      const costs: number[] = [];
      for (const index of order) costs[index] = await this.#servers[index]!.costOf(requests);
      if (costs.every((cost) => cost > 0)) ratios.push(Math.log(costs[0]! / costs[1]!));
    }
    return ratios;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const { child, agent } of this.#servers) {
      agent.destroy();
      await child[Symbol.asyncDispose]();
    }
  }
}

interface Server {
  readonly child: Child;
  readonly agent: Agent;
  readonly costOf: (requests: number) => Promise<number>;
}

const CONNECTIONS = 8;

async function startServer(major: NodeMajor): Promise<Server> {
  const child = new Child(nodeBinary(major), ['--inspect-port=0', path.join(subjectsDirectory, 'server.cjs')]);
  const [, text] = await child.waitFor(/port (\d+)\n/);
  const port = Number(text);
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });
  return {
    child,
    agent,
    costOf: async (requests) => {
      const before = cpuTimeMs(child.pid);
      const answers = await Promise.all(Array.from({ length: requests }, () => isAnswered(agent, port, '/')));
      if (answers.includes(false)) throw new Error('Expected an answer to every request, got a failed one.');
      return cpuTimeMs(child.pid) - before;
    },
  };
}

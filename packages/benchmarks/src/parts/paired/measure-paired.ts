import type { Server } from '../../catalogue.ts';
import { cpuForPairs } from '../../subject/cpu-pinning.ts';
import { shuffled } from '../../statistics/random.ts';
import type { Platform } from '../../subject/subject.ts';
import { SwitchedServer } from './switched-server.ts';
import type { BatchCost } from './batch-cost.ts';

export interface PairedSettings {
  /** Fresh pairs of processes: memory is laid out a little differently each time. */
  readonly pairs: number;
  /** Blocks that measure, of each pair. Half as many more are controls. */
  readonly blocks: number;
  /** Each of a block's two phases. */
  readonly phaseMs: number;
  readonly warmUpMs: number;
  /** Load after a switch, in which a watchdog starts up; longer when a thread that has to end takes its time. */
  readonly settleMs: number;
}

/** What two processes used for the same requests. */
export interface Phase {
  readonly first: BatchCost;
  readonly second: BatchCost;
}

/** Two phases: the instrumentation on in the first process alone, then in the second alone, or the other way round. */
export interface PairedBlock {
  /** Nothing was switched on, all else was the same. */
  readonly isControl: boolean;
  readonly firstOn: Phase;
  readonly secondOn: Phase;
}

/** A watchdog ends within half a second of `disable()`; on a busy machine, later. */
const SWITCH_TIMEOUT_MS = 10_000;
/** Where the system does not tell of threads. */
const SETTLE_WITHOUT_COUNT_MS = 1500;

/** Blocks of each pair of processes. */
export async function measurePaired(
  platform: Platform,
  server: Server,
  settings: PairedSettings,
  random: () => number,
  onProgress: (text: string) => void,
): Promise<PairedBlock[][]> {
  const blocksOfPairs: PairedBlock[][] = [];
  for (let count = 1; count <= settings.pairs; count++) {
    blocksOfPairs.push(
      await measurePair(platform, server, settings, random, (text) => {
        onProgress(`${server.label}, on and off, pair ${count} of ${settings.pairs}: ${text}`);
      }),
    );
  }
  return blocksOfPairs;
}

async function measurePair(
  platform: Platform,
  server: Server,
  settings: PairedSettings,
  random: () => number,
  onProgress: (text: string) => void,
): Promise<PairedBlock[]> {
  const { blocks: blockCount, phaseMs, settleMs, warmUpMs } = settings;
  const controlCount = Math.ceil(blockCount / 2);
  const timeoutMs = 60_000 + warmUpMs + (blockCount + controlCount) * 2 * (phaseMs + settleMs + SWITCH_TIMEOUT_MS);
  const servers: SwitchedServer[] = [];
  try {
    onProgress('starting');
    const cpu = cpuForPairs();
    for (let count = 0; count < 2; count++) servers.push(await SwitchedServer.start(platform, server, timeoutMs, cpu));
    const [first, second] = servers as [SwitchedServer, SwitchedServer];
    const pair = new ServerPair(first, second, random);
    await pair.warmUp(warmUpMs);
    const blocks: PairedBlock[] = [];
    const areControls = [...Array<boolean>(blockCount).fill(false), ...Array<boolean>(controlCount).fill(true)];
    for (const isControl of shuffled(areControls, random)) {
      onProgress(`block ${blocks.length + 1} of ${areControls.length}`);
      const phases: Partial<Record<'firstOn' | 'secondOn', Phase>> = {};
      for (const name of shuffled(['firstOn', 'secondOn'] as const, random)) {
        await pair.switch(name === 'firstOn' && !isControl, name === 'secondOn' && !isControl, settleMs);
        phases[name] = await pair.phase(phaseMs);
      }
      blocks.push({ isControl, firstOn: phases.firstOn!, secondOn: phases.secondOn! });
    }
    return blocks;
  } finally {
    await Promise.all(servers.map((each) => each.stop()));
  }
}

/** Two servers that take turns of some milliseconds, so that whatever slows the machine slows both. */
class ServerPair {
  readonly #first: SwitchedServer;
  readonly #second: SwitchedServer;
  readonly #random: () => number;
  #state = '';

  constructor(first: SwitchedServer, second: SwitchedServer, random: () => number) {
    this.#first = first;
    this.#second = second;
    this.#random = random;
  }

  /** In both states, until V8 has seen all there is. */
  async warmUp(warmUpMs: number): Promise<void> {
    await this.#run(warmUpMs / 3);
    await Promise.all([this.#first.switch(false), this.#second.switch(false)]);
    await this.#run(Math.max(warmUpMs / 3, SETTLE_WITHOUT_COUNT_MS));
    await Promise.all([this.#first.recordThreadsWhenOff(), this.#second.recordThreadsWhenOff()]);
    await this.switch(true, true, warmUpMs / 3);
  }

  /** Loads the servers until the threads are those of the state, so that no phase contains the change. */
  async switch(isFirstOn: boolean, isSecondOn: boolean, settleMs: number): Promise<void> {
    const state = `${isFirstOn ? 'on' : 'off'} and ${isSecondOn ? 'on' : 'off'}`;
    if (state === this.#state) return;
    this.#state = state;
    await Promise.all([this.#first.switch(isFirstOn), this.#second.switch(isSecondOn)]);
    const deadline = performance.now() + SWITCH_TIMEOUT_MS;
    for (;;) {
      await this.#run(settleMs);
      const settled = [await this.#first.isSettled(isFirstOn), await this.#second.isSettled(isSecondOn)];
      if (settled.every((isSettled) => isSettled === true)) return;
      if (settled.includes(undefined)) {
        await this.#run(SETTLE_WITHOUT_COUNT_MS);
        return;
      }
      if (performance.now() > deadline) {
        throw new Error(
          `Expected a thread more while the instrumentation is on than while it is off (it should be ${state}), ` +
            `got none after ${SWITCH_TIMEOUT_MS} ms.`,
        );
      }
    }
  }

  async phase(phaseMs: number): Promise<Phase> {
    await this.#first.startCounting();
    await this.#second.startCounting();
    await this.#run(phaseMs);
    return { first: await this.#first.cost(), second: await this.#second.cost() };
  }

  async #run(forMs: number): Promise<void> {
    const until = performance.now() + forMs;
    do {
      for (const server of shuffled([this.#first, this.#second], this.#random)) await server.serveBatch();
    } while (performance.now() < until);
  }
}

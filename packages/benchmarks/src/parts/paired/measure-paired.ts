import type { Server } from '../../catalogue.ts';
import { cpuForPairs } from '../../subject/cpu-pinning.ts';
import { shuffled } from '../../statistics/random.ts';
import type { Platform } from '../../subject/subject.ts';
import { SwitchedServer } from './switched-server.ts';
import type { BatchCost } from './batch-cost.ts';

export interface PairedSettings {
  /** Number of pairs. Each pair has fresh processes: memory layout differs from process to process. */
  readonly pairs: number;
  /** Measured trials of each pair. Control trials are added, half as many. */
  readonly trials: number;
  /** Length of each of the two phases of a trial. */
  readonly phaseMs: number;
  readonly warmUpMs: number;
  /**
   * Uncounted load after a switch, while the watchdog starts or ends. Repeated until its thread has started or ended.
   */
  readonly settleMs: number;
}

/** The CPU of both processes for the same requests. */
export interface Phase {
  readonly first: BatchCost;
  readonly second: BatchCost;
}

/** Two phases in random order: the instrumentation is on in the first process only, and in the second only. */
export interface PairedTrial {
  /** Whether the instrumentation stays off in both phases. Everything else is the same. */
  readonly isControl: boolean;
  readonly firstOn: Phase;
  readonly secondOn: Phase;
}

/** A watchdog ends within half a second after `disable()`, and later on a busy machine. */
const SWITCH_TIMEOUT_MS = 10_000;
/** Settle time where the system does not report the number of threads. */
const SETTLE_WITHOUT_COUNT_MS = 1500;

/** Returns the trials of each pair of processes. */
export async function measurePaired(
  platform: Platform,
  server: Server,
  settings: PairedSettings,
  random: () => number,
  onProgress: (text: string) => void,
): Promise<PairedTrial[][]> {
  const trialsOfPairs: PairedTrial[][] = [];
  for (let count = 1; count <= settings.pairs; count++) {
    trialsOfPairs.push(
      await measurePair(platform, server, settings, random, (text) => {
        onProgress(`${server.label}, on and off, pair ${count} of ${settings.pairs}: ${text}`);
      }),
    );
  }
  return trialsOfPairs;
}

async function measurePair(
  platform: Platform,
  server: Server,
  settings: PairedSettings,
  random: () => number,
  onProgress: (text: string) => void,
): Promise<PairedTrial[]> {
  const { trials: trialCount, phaseMs, settleMs, warmUpMs } = settings;
  const controlCount = Math.ceil(trialCount / 2);
  const timeoutMs = 60_000 + warmUpMs + (trialCount + controlCount) * 2 * (phaseMs + settleMs + SWITCH_TIMEOUT_MS);
  const servers: SwitchedServer[] = [];
  try {
    onProgress('starting');
    const cpu = cpuForPairs();
    for (let count = 0; count < 2; count++) servers.push(await SwitchedServer.start(platform, server, timeoutMs, cpu));
    const [first, second] = servers as [SwitchedServer, SwitchedServer];
    const pair = new ServerPair(first, second, random);
    await pair.warmUp(warmUpMs);
    const trials: PairedTrial[] = [];
    const areControls = [...Array<boolean>(trialCount).fill(false), ...Array<boolean>(controlCount).fill(true)];
    for (const isControl of shuffled(areControls, random)) {
      onProgress(`trial ${trials.length + 1} of ${areControls.length}`);
      const phases: Partial<Record<'firstOn' | 'secondOn', Phase>> = {};
      for (const name of shuffled(['firstOn', 'secondOn'] as const, random)) {
        await pair.switch(name === 'firstOn' && !isControl, name === 'secondOn' && !isControl, settleMs);
        phases[name] = await pair.phase(phaseMs);
      }
      trials.push({ isControl, firstOn: phases.firstOn!, secondOn: phases.secondOn! });
    }
    return trials;
  } finally {
    await Promise.all(servers.map((each) => each.stop()));
  }
}

/**
 * Two servers that serve batches alternately, some milliseconds each, so that a disturbance of the machine slows both.
 */
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

  /** Loads both servers with the instrumentation on, off and on again, so that V8 compiles the code of both states. */
  async warmUp(warmUpMs: number): Promise<void> {
    await this.#run(warmUpMs / 3);
    await Promise.all([this.#first.switch(false), this.#second.switch(false)]);
    await this.#run(Math.max(warmUpMs / 3, SETTLE_WITHOUT_COUNT_MS));
    await Promise.all([this.#first.recordThreadsWhenOff(), this.#second.recordThreadsWhenOff()]);
    await this.switch(true, true, warmUpMs / 3);
  }

  /** Switches both, and loads them until their threads match the new state: no phase contains the transition. */
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
          `Expected a process to have more threads with the instrumentation on than with it off (now ${state}), ` +
            `but the threads did not match after ${SWITCH_TIMEOUT_MS} ms.`,
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

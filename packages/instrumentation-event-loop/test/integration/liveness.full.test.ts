import { createServer, type AddressInfo } from 'node:net';
import { describe, expect, test } from '@jest/globals';
import { describeCombination, sampledCombinations } from '@loopwatch/test-support';
import type { Combination } from '@loopwatch/test-support';
import { freePort } from '@loopwatch/test-support/free-port';

import { expectCleanExit } from './support.ts';
import { node24, runOnce } from './thread-support.ts';

const sampled = sampledCombinations(20, 26).map(
  (combination) => [describeCombination(combination), combination] as const,
);
const livenessThresholdMs = 1500;
const readinessThresholdMs = 700;

interface Answer {
  readonly httpStatus: number;
  readonly status: string;
  readonly blockedMs: number;
  readonly culprit?: string;
}

/** Holds a port until `close` is called. */
class HeldPort {
  readonly #server = createServer((socket) => socket.destroy());

  async open(): Promise<number> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    return (this.#server.address() as AddressInfo).port;
  }

  async close(): Promise<void> {
    await new Promise((resolve) => this.#server.close(resolve));
  }
}

async function ask(port: number, route = '/livez'): Promise<Answer | undefined> {
  try {
    const response = await fetch(`http://127.0.0.1:${port}${route}`, { signal: AbortSignal.timeout(5000) });
    return { httpStatus: response.status, ...((await response.json()) as Omit<Answer, 'httpStatus'>) };
  } catch {
    return undefined;
  }
}

interface Answers {
  readonly live: readonly Answer[];
  readonly ready: readonly Answer[];
}

/** Runs a program that blocks for 3 s, and returns the answers that it gave meanwhile, asked 20 times a second. */
async function answersOf(on: Combination, instrumentation: object = {}): Promise<Answers> {
  const port = await freePort();
  const live: Answer[] = [];
  const ready: Answer[] = [];
  const asking = new AbortController();
  const poll = async (): Promise<void> => {
    while (!asking.signal.aborted) {
      const answer = await ask(port);
      if (answer) live.push(answer);
      const readiness = await ask(port, '/readyz');
      if (readiness) ready.push(readiness);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  };
  const polling = poll();
  const result = await runOnce(on, 'hang-program.cjs', {
    args: ['javascript', '3000'],
    telemetry: {
      instrumentation: {
        livenessPort: port,
        livenessThresholdMs,
        readinessThresholdMs,
        hangThresholdMs: 0,
        ...instrumentation,
      },
    },
  });
  asking.abort();
  await polling;
  expectCleanExit(result);
  return { live, ready };
}

describe('The watchdog thread answers GET /livez and GET /readyz', () => {
  test.concurrent.each(sampled)(
    '%s: ok at first, ok and the culprit during a block, blocked from the threshold on, ok after it',
    async (_label, on) => {
      const { live: all, ready } = await answersOf(on);
      // Not ready before it is dead, by a threshold of its own.
      const notReady = ready.filter(({ httpStatus }) => httpStatus === 503);
      expect(notReady).toEqual(ready.filter(({ blockedMs }) => blockedMs >= readinessThresholdMs));
      expect(notReady.some(({ blockedMs }) => blockedMs < livenessThresholdMs)).toBe(true);
      expect(notReady.at(-1)!.culprit).toMatch(/^computeForecast /);
      const dead = all.filter(({ blockedMs }) => blockedMs >= livenessThresholdMs);
      expect(dead).toEqual(all.filter(({ httpStatus }) => httpStatus === 503));
      // On a busy host, the program's own start may hold up the loop too.
      const answers = all.slice(all.findIndex(({ blockedMs }) => blockedMs === 0));
      const phases = answers.map(({ httpStatus, status, blockedMs }) =>
        [httpStatus, status, blockedMs === 0 ? 'turns' : 'is blocked'].join(' '),
      );
      expect(phases.filter((phase, i) => phase !== phases[i - 1])).toEqual([
        '200 ok turns',
        '200 ok is blocked',
        '503 blocked is blocked',
        ...(phases.at(-1) === '200 ok turns' ? ['200 ok turns'] : []),
      ]);
      for (const { culprit } of answers.filter(({ httpStatus }) => httpStatus === 503))
        expect(culprit).toMatch(/^computeForecast \(.*hang-program\.cjs:\d+:\d+\)$/);
      const ages = answers.map(({ blockedMs }) => blockedMs).filter((ms) => ms > 0);
      expect(ages).toEqual([...ages].sort((a, b) => a - b));
    },
  );

  test.concurrent('without a culprit where no stack may leave the process', async () => {
    const { live, ready } = await answersOf(node24, { captureStacks: false });
    const answers = [...live, ...ready];
    expect(answers.map(({ httpStatus }) => httpStatus)).toContain(503);
    expect(answers.filter(({ culprit }) => culprit !== undefined)).toEqual([]);
  });
});

describe('A liveness port that is in use', () => {
  test.concurrent('is reported once, and the program runs as without it', async () => {
    const held = new HeldPort();
    const port = await held.open();
    const result = await runOnce(node24, 'hang-program.cjs', {
      // Long enough for the start of the watchdog on a busy host.
      args: ['javascript', '2500'],
      telemetry: { instrumentation: { livenessPort: port } },
    });
    await held.close();
    expectCleanExit(result);
    expect(result.diags.map(({ level, message }) => [level, message])).toEqual([
      ['warn', expect.stringContaining(`Expected to answer GET /livez and /readyz on 127.0.0.1 port ${port}`)],
    ]);
    expect(result.spans.map(({ name }) => name)).toContain('event-loop-blocked');
  });

  test.concurrent('is not reported by a forked process that has inherited it', async () => {
    const result = await runOnce(node24, 'liveness-children.cjs', {
      env: { LOOPWATCH_LIVENESS_PORT: String(await freePort()) },
    });
    expectCleanExit(result);
    expect(result.diags).toEqual([]);
  });
});

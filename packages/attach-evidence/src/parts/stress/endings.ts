import { setTimeout as sleep } from 'node:timers/promises';

import { listeningPorts } from '../../process/listening.ts';
import { startAttach, WATCHES } from '../../process/attach-cli.ts';
import type { Child, Exit } from '../../process/child.ts';
import { isAnswered } from './load.ts';

/** The ways in which an attach ends. */
export const endings = [
  'Ctrl+C, at any moment',
  'Ctrl+C, while it watches',
  'SIGTERM',
  '`--for`',
  'SIGKILL, while the inspector is open',
  'SIGKILL, while it watches',
  'the connection is cut',
  'the process ends',
] as const;
export type Ending = (typeof endings)[number];

export interface Subject {
  readonly target: Child;
  readonly port: number;
  /** For the channels of `loopwatch`. */
  readonly directory: string;
}

export interface Attached {
  readonly exit: Exit;
  readonly output: string;
}

/** The process closes the inspector by itself 10 s after a SIGKILL; the rest is for a busy machine. */
const OPEN_LIMIT_MS = 16_000;
/** From the connection until the process has its first expression, which closes the inspector by a timer. */
const FIRST_ANSWER_MS = 100;

/** Attaches once and ends it in the given way, at `fraction` (0 to 1) of the span of moments that this way has. */
export async function attachOnce(
  { target, port, directory }: Subject,
  ending: Ending,
  fraction: number,
): Promise<Attached> {
  target.clearOutput();
  const cli = startAttach(target.pid, directory, ending === '`--for`' ? ['--for', '1s'] : []);
  switch (ending) {
    case 'Ctrl+C, at any moment':
      await sleep(200 + fraction * 1800);
      cli.kill('SIGINT');
      break;
    case 'SIGKILL, while the inspector is open':
      await Promise.race([target.waitFor(/Debugger attached/), endedBeforeThat(cli, target)]);
      await sleep(FIRST_ANSWER_MS + fraction * 300);
      cli.kill('SIGKILL');
      break;
    case '`--for`':
      break;
    case 'Ctrl+C, while it watches':
    case 'SIGKILL, while it watches':
    case 'SIGTERM':
    case 'the connection is cut':
    case 'the process ends':
      await cli.waitFor(WATCHES);
      await sleep(fraction * 1000);
      if (ending === 'the process ends') await isAnswered(undefined, port, '/exit');
      else cli.kill(signalOf[ending]);
  }
  const exit = await cli.exit;
  return { exit, output: cli.output };
}

const signalOf = {
  'Ctrl+C, while it watches': 'SIGINT',
  SIGTERM: 'SIGTERM',
  'SIGKILL, while it watches': 'SIGKILL',
  'the connection is cut': 'SIGUSR2',
} as const;

/** Whether the inspector of the process stays open. */
export async function staysOpen({ target, port }: Subject): Promise<boolean> {
  const deadline = performance.now() + OPEN_LIMIT_MS;
  while (listeningPorts(target.pid).some((open) => open !== port)) {
    if (performance.now() > deadline) return true;
    await sleep(50);
  }
  return false;
}

/** Rejects when the CLI ends: it could not attach, and the process may say why. */
async function endedBeforeThat(cli: Child, target: Child): Promise<never> {
  await cli.exit;
  throw new Error(`could not attach: ${cli.output}\nThe process: ${target.output}`);
}

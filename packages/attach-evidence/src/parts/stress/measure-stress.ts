import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';

import type { NodeMajor } from '@loopwatch/node-binaries';

import type { Exit } from '../../process/child.ts';
import { changesSince, startTarget, stateOf } from '../../process/target.ts';
import { attachOnce, endings, staysOpen } from './endings.ts';
import type { Ending, Subject } from './endings.ts';
import { isAnswered, startLoad } from './load.ts';
import type { LoadCounts } from './load.ts';

export interface StressResult {
  readonly nodeMajor: NodeMajor;
  /** How often it was attached and ended, by the way in which it ended. */
  readonly attachments: Readonly<Record<string, number>>;
  readonly underLoad: number;
  /** Processes that ended although the test did not end them. */
  readonly deaths: number;
  readonly openInspectors: number;
  readonly load: LoadCounts;
  /** The same requests to a process to which nothing was attached, at the same time. */
  readonly control: LoadCounts;
  /** What was different in a process afterwards, or not as expected of the CLI. */
  readonly problems: readonly string[];
}

export interface StressSettings {
  /** Servers, each under load or idle in turn, two at a time. */
  readonly servers: number;
  readonly attachmentsPerServer: number;
}

const LIFE_MS = 1_200_000;
const WARM_UP_REQUESTS = 20;

/** Attaches to servers again and again, and ends it in every way. */
export async function measureStress(
  major: NodeMajor,
  { servers, attachmentsPerServer }: StressSettings,
  onProgress: (text: string) => void = () => undefined,
): Promise<StressResult> {
  const waiting = Array.from({ length: servers }, (_, index) => index);
  const results: ServerResult[] = [];
  const runNext = async (): Promise<void> => {
    for (let index = waiting.shift(); index !== undefined; index = waiting.shift()) {
      results.push(await stressServer(major, index, attachmentsPerServer, onProgress));
    }
  };
  await Promise.all([runNext(), runNext()]);
  const sum = (value: (result: ServerResult) => number): number =>
    results.reduce((total, result) => total + value(result), 0);
  const attachments: Record<string, number> = {};
  for (const ending of results.flatMap(({ ended }) => ended)) attachments[ending] = (attachments[ending] ?? 0) + 1;
  return {
    nodeMajor: major,
    attachments,
    underLoad: sum(({ ended, isLoaded }) => (isLoaded ? ended.length : 0)),
    deaths: sum(({ died }) => Number(died)),
    openInspectors: sum(({ openInspectors }) => openInspectors),
    load: { sent: sum(({ load }) => load.sent), failed: sum(({ load }) => load.failed) },
    control: { sent: sum(({ control }) => control.sent), failed: sum(({ control }) => control.failed) },
    problems: results.flatMap(({ problems }) => problems),
  };
}

interface ServerResult {
  readonly isLoaded: boolean;
  readonly ended: readonly Ending[];
  readonly died: boolean;
  readonly openInspectors: number;
  readonly load: LoadCounts;
  readonly control: LoadCounts;
  readonly problems: readonly string[];
}

async function stressServer(
  major: NodeMajor,
  index: number,
  count: number,
  onProgress: (text: string) => void,
): Promise<ServerResult> {
  const directory = await mkdtemp(path.join(os.tmpdir(), 'loopwatch-stress-'));
  const isLoaded = index % 2 === 0;
  await using target = await startTarget(major, 'server', LIFE_MS);
  await using controlTarget = await startTarget(major, 'server', LIFE_MS);
  try {
    const port = await portOf(target);
    const controlPort = await portOf(controlTarget);
    for (let request = 0; request < WARM_UP_REQUESTS; request++) await isAnswered(undefined, port, '/');
    const before = await stateOf(target);
    const loads = isLoaded ? [startLoad(port), startLoad(controlPort)] : [];
    const subject: Subject = { target, port, directory };
    const ended: Ending[] = [];
    const problems: string[] = [];
    let openInspectors = 0;
    let counts: LoadCounts[] = [];
    for (let number = 0; number < count && target.isAlive; number++) {
      const isLast = number === count - 1;
      const ending = isLast ? 'the process ends' : endings[(number + index) % (endings.length - 1)]!;
      onProgress(`server ${index + 1}, ${isLoaded ? 'under load' : 'idle'}: ${number + 1} of ${count}, ${ending}`);
      if (isLast) {
        // After the requests: those that the end of the process interrupts would count as failed.
        counts = await Promise.all(loads.map(({ stop }) => stop()));
        problems.push(...(await changesSince(target, before)));
      }
      ended.push(ending);
      const attached = await attachOnce(subject, ending, ((index * count + number) * 0.618) % 1).catch(
        (error: unknown) => error as Error,
      );
      if (attached instanceof Error) {
        problems.push(`${ending}: ${attached.message}`);
        continue;
      }
      const { exit, output } = attached;
      if (!isExpected(ending, exit)) problems.push(`${ending}: ${exit.signal ?? `exit code ${exit.code}`}: ${output}`);
      if (await staysOpen(subject)) openInspectors += 1;
    }
    if (counts.length === 0) await Promise.all(loads.map(({ stop }) => stop())); // it died before
    const { code, signal } = target.isAlive ? { code: undefined, signal: null } : await target.exit;
    const died = ended.at(-1) !== 'the process ends' || code !== 0;
    if (died)
      problems.push(
        `the process ended with ${signal ?? String(code)} after: ${ended.at(-1)}; its output: ${target.output}`,
      );
    const left = await leftIn(directory);
    if (left.length > 0) problems.push(`files stay: ${left.join(', ')}`);
    const [load = none, control = none] = counts;
    return { isLoaded, ended, died, openInspectors, load, control, problems };
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

/** A Ctrl+C right after the start ends `loopwatch` before it has done anything. */
function isExpected(ending: Ending, { code, signal }: Exit): boolean {
  if (ending.startsWith('SIGKILL')) return signal === 'SIGKILL';
  return code === 0 || (ending === 'Ctrl+C, at any moment' && signal === 'SIGINT');
}

const none: LoadCounts = { sent: 0, failed: 0 };

async function portOf(target: { waitFor(pattern: RegExp): Promise<RegExpExecArray> }): Promise<number> {
  const [, port] = await target.waitFor(/port (\d+)\n/);
  return Number(port);
}

/** Channels that were not removed. */
async function leftIn(directory: string): Promise<string[]> {
  await mkdir(directory, { recursive: true });
  return readdir(directory);
}

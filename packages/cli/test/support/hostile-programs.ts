import { spawn } from 'node:child_process';
import { createRequire } from 'node:module';

import { nodeBinary, nodeMajors, type NodeMajor, workspaceNodeMajor } from '@loopwatch/node-binaries';

import { ENV_RUN_DIRECTORY } from '../../src/channel/contract.js';
import { fixture } from './cli.js';

/*
 * Programs that replace, break, freeze or delete what JavaScript and Node.js give them end as without Loopwatch: with the
 * same exit code or signal, and the same output. Blocks may be lost.
 */

const PROGRAM = fixture('hostile-built-ins.cjs');
const require = createRequire(import.meta.url);

export type Moment = 'early' | 'late';
export const MOMENTS: readonly Moment[] = ['early', 'late'];
export const { acts } = require(PROGRAM) as { readonly acts: readonly string[] };
/** The acts with which the program ends by an error, without Loopwatch, on the Node.js of the workspace. They show little. */
export const actsThatEndAlone = require(fixture('hostile-built-ins.ends.json')) as Readonly<
  Record<Moment, readonly string[]>
>;

export const SETTINGS = { LOOPWATCH_BLOCKED_THRESHOLD_MS: '20', LOOPWATCH_HANG_THRESHOLD_MS: '0' };
/** Each with the program alone and the watched one, beside the tests of other files. */
const CONCURRENCY = 3;
const KILL_AFTER_MS = 30_000;

interface Invocation {
  readonly flags?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly program?: string;
}

export interface Way {
  readonly watched: Invocation;
  readonly alone: Invocation;
}

export type WayName = 'under `loopwatch run`' | 'with `/register`' | 'with the instrumentation in code';
export const WAY_NAMES: readonly WayName[] = [
  'under `loopwatch run`',
  'with `/register`',
  'with the instrumentation in code',
];

/** @param directory of the channel of `loopwatch run` */
export function wayOf(name: WayName, directory: string): Way {
  switch (name) {
    case 'under `loopwatch run`':
      return {
        watched: {
          env: { NODE_OPTIONS: `--require ${fixture('../../dist/preload.cjs')}`, [ENV_RUN_DIRECTORY]: directory },
        },
        alone: {},
      };
    case 'with `/register`':
      return {
        watched: {
          flags: ['--import', import.meta.resolve('@loopwatch/instrumentation-event-loop/register')],
          // No SDK is installed here, which is said once.
          env: { ...SETTINGS, LOOPWATCH_NOTICED: '1' },
        },
        // With `--import`, Node.js loads the program by other code.
        alone: { flags: ['--import', 'data:text/javascript,'] },
      };
    case 'with the instrumentation in code':
      return { watched: { flags: ['--require', fixture('instrument-in-code.cjs')] }, alone: {} };
  }
}

interface Outcome {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Acts {
  readonly group: readonly string[];
  readonly moment: Moment;
}

function run(major: NodeMajor, { group, moment }: Acts, invocation: Invocation): Promise<Outcome> {
  const { flags = [], env = {}, program = PROGRAM } = invocation;
  return new Promise((resolve, reject) => {
    const child = spawn(nodeBinary(major), [...flags, program, group.join(','), moment], {
      env: { PATH: process.env.PATH, HOME: process.env.HOME, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const timer = setTimeout(() => child.kill('SIGKILL'), KILL_AFTER_MS);
    let stdout = '';
    let stderr = '';
    child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString()));
    child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
    child.once('error', reject);
    child.once('close', (code, signal) => {
      clearTimeout(timer);
      resolve({ code, signal, stdout, stderr: stderr.replaceAll(/\(node:\d+\)/g, '(node:PID)') });
    });
  });
}

/**
 * What must be equal. Of a program that ends with an error by itself, stderr has the stack, in which a wrapper of ours may
 * stand, and stdout how far it came: its first error depends on which of Node's callbacks comes first.
 */
function ending({ code, signal, stdout, stderr }: Outcome): string {
  return JSON.stringify(code === 0 ? { code, stdout, stderr } : { code, signal });
}

/** Of programs that are not watched: several ways are compared with the same one. */
const endingsAlone = new Map<string, Promise<string>>();
function endingAlone(major: NodeMajor, these: Acts, invocation: Invocation): Promise<string> {
  const key = JSON.stringify([major, these, invocation]);
  const known = endingsAlone.get(key) ?? run(major, these, invocation).then(ending);
  endingsAlone.set(key, known);
  return known;
}

/** How it differs from the same program alone; the order of two lines may depend on the machine's load, so twice. */
async function differencesOf(major: NodeMajor, these: Acts, way: Way): Promise<unknown[]> {
  const watched = (): Promise<string> => run(major, these, way.watched).then(ending);
  const [known, first] = await Promise.all([endingAlone(major, these, way.alone), watched()]);
  if (known === first) return [];
  const [expected, got] = await Promise.all([run(major, these, way.alone).then(ending), watched()]);
  if (expected === got) return [];
  const { group, moment } = these;
  const difference = { acts: group, moment, expected, got };
  if (group.length === 1) return [difference];
  const singles = await Promise.all(group.map((act) => differencesOf(major, { group: [act], moment }, way)));
  return [difference, ...singles.flat()];
}

/** The differences of all these groups, each a program of its own. */
export async function allDifferences(major: NodeMajor, groups: readonly Acts[], way: Way): Promise<unknown[]> {
  return (await mapConcurrently(groups, (these) => differencesOf(major, these, way))).flat();
}

/** The acts with which the program ends by itself, measured: `fixtures/hostile-built-ins.ends.json` is compared with it. */
export async function measureActsThatEndAlone(): Promise<Record<Moment, string[]>> {
  const endingAt = async (moment: Moment): Promise<string[]> => {
    const names = await mapConcurrently(acts, async (act) => {
      const { code, stderr } = await run(workspaceNodeMajor, { group: [act], moment }, {});
      return code === 0 && stderr === '' ? [] : [act];
    });
    return names.flat();
  };
  return { early: await endingAt('early'), late: await endingAt('late') };
}

async function mapConcurrently<T, R>(items: readonly T[], map: (item: T) => Promise<R>): Promise<R[]> {
  const queue = items.entries();
  const results: R[] = [];
  const work = async (): Promise<void> => {
    for (const [i, item] of queue) results[i] = await map(item);
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, work));
  return results;
}

/** Neighbours in the list have much in common: the acts of a group stand far apart. */
export function grouped(names: readonly string[], moment: Moment, size: number): Acts[] {
  const count = Math.ceil(names.length / size);
  return Array.from({ length: count }, (_, i) => ({ group: names.filter((_name, n) => n % count === i), moment }));
}

/**
 * Once an import channel has a subscriber, Node.js 22 and later call the methods of all import channels, by name: the same
 * program ends so with any other subscriber. `/register` has one until the entry point has been evaluated.
 */
const isOfNode = (act: string, moment: Moment): boolean => act === 'Channel.throws' && moment === 'early';

/** All acts: those that end the program alone by themselves and on one major, the others in groups of this size. */
export function groupsOf(
  major: NodeMajor,
  way: WayName,
  size: number,
  isWanted: (act: string) => boolean = () => true,
): Acts[] {
  return MOMENTS.flatMap((moment) => {
    const tested = acts.filter((act) => way !== 'with `/register`' || !isOfNode(act, moment));
    const endsAlone = (act: string): boolean => actsThatEndAlone[moment].includes(act);
    const alone = major === workspaceNodeMajor ? tested.filter(endsAlone) : [];
    const others = tested.filter((act) => !endsAlone(act) && isWanted(act));
    // By another size on each major, other acts are together.
    const ofMajor = size + nodeMajors.indexOf(major) / 2;
    return [...grouped(others, moment, ofMajor), ...alone.map((act) => ({ group: [act], moment }))];
  });
}

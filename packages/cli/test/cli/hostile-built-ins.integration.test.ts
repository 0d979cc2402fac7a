import { spawn } from 'node:child_process';
import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { nodeBinary, nodeMajors, workspaceNodeMajor, type NodeMajor } from '@loopwatch/node-binaries';
import { combinationPerMajor, consumerOf } from '@loopwatch/test-support';

import { ENV_RUN_DIRECTORY } from '../../src/channel/contract.js';
import { createChannel } from '../../src/channel/reader.js';
import { fixture } from '../support/cli.js';

/*
 * Programs that replace, break, freeze or delete what JavaScript and Node.js give them end as without Loopwatch: with the
 * same exit code or signal, and the same output. Blocks may be lost.
 *
 * The inner tier runs what changed exit codes in the second release. The full tier runs all acts: one that ends the program
 * alone, too, by itself, the others in groups, of other acts on each major.
 */

const PROGRAM = fixture('hostile-built-ins.cjs');
const require = createRequire(import.meta.url);
const { acts } = require(PROGRAM) as { readonly acts: readonly string[] };
type Moment = 'early' | 'late';
const MOMENTS: readonly Moment[] = ['early', 'late'];
const isInnerTier = process.env.LOOPWATCH_TEST_TIER === 'inner';
/** One of each kind that changed exit codes in the second release. */
const INNER = ['publishers', 'frozenProcess', 'iterators', 'thenOfPromise', 'EventTarget.throws'];
/** With a real SDK: acts that do not break the SDK itself. */
const WITH_SDK = ['publishers', 'emitters', 'frozenProcess', 'listenersRemoved', 'EventTarget.throws', 'ownSymbols'];
const majors: readonly NodeMajor[] = isInnerTier ? [workspaceNodeMajor] : nodeMajors;
/** The programs mostly wait. */
const CONCURRENCY = 6;
const KILL_AFTER_MS = 30_000;
const GROUP_SIZE = 3;
/** On the other majors. */
const LARGE_GROUP_SIZE = 6;

/**
 * Once an import channel has a subscriber, Node.js 22 and later call the methods of all import channels, by name: the same
 * program ends so with any other subscriber. `/register` has one until the entry point has been evaluated.
 */
const SUBSCRIBED = `data:text/javascript,import channels from 'node:diagnostics_channel';
for (const event of ['start', 'asyncEnd']) channels.subscribe('tracing:module.import:' + event, () => {});`;
const isOfNode = (act: string, moment: Moment): boolean => act === 'Channel.throws' && moment === 'early';

interface Invocation {
  readonly flags?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly program?: string;
}

interface Way {
  readonly watched: Invocation;
  readonly alone: Invocation;
}

interface Outcome {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(path.join(tmpdir(), 'loopwatch-hostile-'));
  await createChannel(directory, { thresholdMs: 20, countsStartUp: false, withArguments: false });
});
afterAll(async () => {
  await rm(directory, { recursive: true, force: true });
});

const SETTINGS = { LOOPWATCH_BLOCKED_THRESHOLD_MS: '20', LOOPWATCH_HANG_THRESHOLD_MS: '0' };
/** With `--import`, Node.js loads the program by other code. */
const WAYS: Readonly<Record<string, () => Way>> = {
  'under `loopwatch run`': () => ({
    watched: {
      env: { NODE_OPTIONS: `--require ${fixture('../../dist/preload.cjs')}`, [ENV_RUN_DIRECTORY]: directory },
    },
    alone: {},
  }),
  'with `/register`': () => ({
    watched: {
      flags: ['--import', import.meta.resolve('@loopwatch/instrumentation-event-loop/register')],
      // No SDK is installed here, which is said once.
      env: { ...SETTINGS, LOOPWATCH_NOTICED: '1' },
    },
    alone: { flags: ['--import', 'data:text/javascript,'] },
  }),
  'with the instrumentation in code': () => ({
    watched: { flags: ['--require', fixture('instrument-in-code.cjs')] },
    alone: {},
  }),
};

function run(
  major: NodeMajor,
  group: readonly string[],
  moment: Moment,
  { flags = [], env = {}, program = PROGRAM }: Invocation,
): Promise<Outcome> {
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

/** How it differs from the same program alone; the order of two lines may depend on the machine's load, so twice. */
async function differencesOf(major: NodeMajor, group: readonly string[], moment: Moment, way: Way): Promise<unknown[]> {
  const difference = { acts: group, moment, expected: '', got: '' };
  for (let tries = 0; tries < 2; tries++) {
    const [expected, got] = await Promise.all([
      run(major, group, moment, way.alone).then(ending),
      run(major, group, moment, way.watched).then(ending),
    ]);
    if (expected === got) return [];
    Object.assign(difference, { expected, got });
  }
  if (group.length === 1) return [difference];
  const singles = await Promise.all(group.map((act) => differencesOf(major, [act], moment, way)));
  return [difference, ...singles.flat()];
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
function grouped(names: readonly string[], size: number): string[][] {
  const count = Math.ceil(names.length / size);
  return Array.from({ length: count }, (_, i) => names.filter((_name, n) => n % count === i));
}

/** The acts with which the program ends by an error, without Loopwatch. They show little, and run on one major. */
let endingAlone: Promise<ReadonlySet<string>> | undefined;
function actsThatEndAlone(): Promise<ReadonlySet<string>> {
  const programs = acts.flatMap((act) => MOMENTS.map((moment) => ({ act, moment })));
  endingAlone ??= mapConcurrently(programs, async ({ act, moment }) => {
    const { code, stderr } = await run(workspaceNodeMajor, [act], moment, {});
    return code === 0 && stderr === '' ? [] : [`${act} ${moment}`];
  }).then((names) => new Set(names.flat()));
  return endingAlone;
}

async function groupsOf(major: NodeMajor, way: string): Promise<{ group: readonly string[]; moment: Moment }[]> {
  if (isInnerTier) return MOMENTS.flatMap((moment) => grouped(INNER, GROUP_SIZE).map((group) => ({ group, moment })));
  const ends = await actsThatEndAlone();
  const isWorkspaceMajor = major === workspaceNodeMajor;
  return MOMENTS.flatMap((moment) => {
    const tested = acts.filter((act) => way !== 'with `/register`' || !isOfNode(act, moment));
    const alone = tested.filter((act) => ends.has(`${act} ${moment}`)).map((act) => [act]);
    const others = tested.filter((act) => !ends.has(`${act} ${moment}`));
    // By another size on each major, other acts are together.
    const size = isWorkspaceMajor ? GROUP_SIZE : LARGE_GROUP_SIZE + nodeMajors.indexOf(major) / 2;
    return [...grouped(others, size), ...(isWorkspaceMajor ? alone : [])].map((group) => ({ group, moment }));
  });
}

describe.each(majors)('On Node.js %d', (major) => {
  test.each(Object.entries(WAYS))(
    'hostile programs end as alone, %s',
    async (name, wayOf) => {
      const way = wayOf();
      const groups = await groupsOf(major, name);
      const differences = await mapConcurrently(groups, ({ group, moment }) =>
        differencesOf(major, group, moment, way),
      );
      expect(differences.flat()).toEqual([]);
    },
    10 * 60_000,
  );
});

test.each(majors.filter((major) => major >= 22))(
  'on Node.js %d, what a program does to the methods of channels ends it with any subscriber of its import',
  async (major) => {
    const way = { watched: WAYS['with `/register`']!().watched, alone: { flags: ['--import', SUBSCRIBED] } };
    expect(await differencesOf(major, ['Channel.throws'], 'early', way)).toEqual([]);
  },
);

test('there are at least forty hostile programs', () => {
  expect(acts.length).toBeGreaterThanOrEqual(40);
});

describe.each(combinationPerMajor)('With a real SDK on Node.js $nodeMajor', ({ nodeMajor, sdk }) => {
  let receiver: Server;
  let application: string;
  let env: Record<string, string>;
  beforeAll(async () => {
    receiver = createServer((request, response) => {
      request.resume().once('end', () => response.end('{}'));
    }).listen(0, '127.0.0.1');
    const consumer = await consumerOf(sdk);
    application = await mkdtemp(path.join(consumer.directory, 'hostile-'));
    await cp(PROGRAM, path.join(application, 'program.cjs'));
    const start = `const { NodeSDK } = require('@opentelemetry/sdk-node');\n`;
    await writeFile(path.join(application, 'sdk.cjs'), `${start}new NodeSDK({ instrumentations: [] }).start();\n`);
    const instrument = `const { EventLoopInstrumentation } = require('@loopwatch/instrumentation-event-loop');\n`;
    const both = `new NodeSDK({ instrumentations: [new EventLoopInstrumentation()] }).start();\n`;
    await writeFile(path.join(application, 'instrumented.cjs'), start + instrument + both);
    const { port } = receiver.address() as AddressInfo;
    env = { ...SETTINGS, OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}`, OTEL_LOGS_EXPORTER: 'none' };
  }, 5 * 60_000);
  afterAll(async () => {
    receiver.closeAllConnections();
    receiver.close();
    await rm(application, { recursive: true, force: true });
  });

  test.each(['`/register`', '`NodeSDK` in code'])(
    'hostile programs end as with the SDK alone, with %s',
    async (name) => {
      const program = path.join(application, 'program.cjs');
      const register = path.join(
        application,
        '../node_modules/@loopwatch/instrumentation-event-loop/dist/register.mjs',
      );
      const inCode = (file: string): string[] => ['--require', path.join(application, file)];
      const flags = name === '`/register`' ? ['--import', pathToFileURL(register).href] : inCode('instrumented.cjs');
      const way = { watched: { flags, env, program }, alone: { flags: inCode('sdk.cjs'), env, program } };
      const groups = (isInnerTier ? WITH_SDK.slice(0, 1) : WITH_SDK).flatMap((act) =>
        MOMENTS.map((moment) => ({ group: [act], moment })),
      );
      const differences = await mapConcurrently(groups, ({ group, moment }) =>
        differencesOf(nodeMajor, group, moment, way),
      );
      expect(differences.flat()).toEqual([]);
    },
    5 * 60_000,
  );
});

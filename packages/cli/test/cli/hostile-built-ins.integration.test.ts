import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { NodeMajor } from '@loopwatch/node-binaries';
import { casesOn, combinationPerMajor, consumerOf, isInnerTier, majorsOfTier } from '@loopwatch/test-support';

import { createChannel } from '../../src/channel/reader.js';
import { fixture } from '../support/cli.js';
import {
  type Acts,
  acts,
  allDifferences,
  grouped,
  groupsOf,
  MOMENTS,
  SETTINGS,
  WAY_NAMES,
  wayOf,
  type WayName,
} from '../support/hostile-programs.js';

/*
 * The inner tier runs what changed exit codes in the second release. The full tier runs each act on two majors, on each in
 * one way, which differs with the major; a job for one combination, and the long tier, each act in each way.
 */

/** One of each kind that changed exit codes in the second release, and what shows the rest to the program. */
const INNER = ['publishers', 'frozenProcess', 'iterators', 'thenOfPromise', 'EventTarget.throws', 'watchers'];
/** With a real SDK: acts that do not break the SDK itself. */
const WITH_SDK = ['publishers', 'emitters', 'frozenProcess', 'listenersRemoved', 'EventTarget.throws', 'ownSymbols'];
const INNER_GROUP_SIZE = 3;
const GROUP_SIZE = 6;

/** A run on all majors tries each act in both ways, on two majors; a job for one major, all acts. */
function actsWithSdk(nodeMajor: NodeMajor): readonly string[] {
  if (isInnerTier) return WITH_SDK.slice(0, 1);
  if (combinationPerMajor.length === 1) return WITH_SDK;
  const place = combinationPerMajor.findIndex((one) => one.nodeMajor === nodeMajor);
  // `casesOn` gives neighbouring majors the two ways in turn: pairs of majors share the acts.
  return WITH_SDK.filter((_, i) => i % 2 === Math.floor(place / 2) % 2);
}

/** Node.js ends the program so with any subscriber of an import channel. */
const SUBSCRIBED = `data:text/javascript,import channels from 'node:diagnostics_channel';
for (const event of ['start', 'asyncEnd']) channels.subscribe('tracing:module.import:' + event, () => {});`;

let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(path.join(tmpdir(), 'loopwatch-hostile-'));
  createChannel(directory, { thresholdMs: 20, countsStartUp: false, withArguments: false });
});
afterAll(async () => {
  await rm(directory, { recursive: true, force: true });
});

function groupsOfTier(major: NodeMajor, name: WayName): Acts[] {
  if (isInnerTier) return MOMENTS.flatMap((moment) => grouped(INNER, moment, INNER_GROUP_SIZE));
  if (majorsOfTier.length === 1) return groupsOf(major, name, GROUP_SIZE);
  const place = majorsOfTier.indexOf(major);
  const actsOfMajor = casesOn(major, acts);
  return groupsOf(major, name, GROUP_SIZE, (act) => actsOfMajor.includes(act)).filter(
    (_, i) => WAY_NAMES[(i + place) % WAY_NAMES.length] === name,
  );
}

describe.each(majorsOfTier)('On Node.js %d', (major) => {
  test.each(WAY_NAMES)(
    'hostile programs end as alone, %s',
    async (name) => {
      expect(await allDifferences(major, groupsOfTier(major, name), wayOf(name, directory))).toEqual([]);
    },
    10 * 60_000,
  );
});

test.each(majorsOfTier.filter((major) => major >= 22))(
  'on Node.js %d, what a program does to the methods of channels ends it with any subscriber of its import',
  async (major) => {
    const { watched } = wayOf('with `/register`', directory);
    const way = { watched, alone: { flags: ['--import', SUBSCRIBED] } };
    expect(await allDifferences(major, [{ group: ['Channel.throws'], moment: 'early' }], way)).toEqual([]);
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
    await cp(fixture('hostile-built-ins.cjs'), path.join(application, 'program.cjs'));
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

  test.each(casesOn(nodeMajor, ['`/register`', '`NodeSDK` in code']))(
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
      const groups = actsWithSdk(nodeMajor).flatMap((act) => MOMENTS.map((moment) => ({ group: [act], moment })));
      expect(await allDifferences(nodeMajor, groups, way)).toEqual([]);
    },
    5 * 60_000,
  );
});

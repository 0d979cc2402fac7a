import { execFile } from 'node:child_process';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';

import { afterAll, beforeAll, expect, jest, test } from '@jest/globals';

import { ChildProgram, distFile, isServing } from './support/child-program.js';
import { OtlpReceiver } from './support/otlp-receiver.js';

jest.setTimeout(120_000);

/** Runs for as long as all the others: it is started before them. */
let releases: ChildProgram;
/** What tests have started ends with the file, also where one fails. */
const endings: (() => unknown)[] = [];

beforeAll(() => {
  const command = [distFile('main.mjs'), '--release', '2', '--duration', '50'];
  releases = new ChildProgram(command, {}, 5 * 60_000);
  endings.push(() => releases.kill());
});

afterAll(async () => {
  await Promise.all(endings.map((end) => end()));
});

function start(commandLine: readonly string[], environment: Record<string, string> = {}): ChildProgram {
  const demo = new ChildProgram([distFile('main.mjs'), ...commandLine], environment);
  endings.push(() => demo.kill());
  return demo;
}

/** Printed addresses in their order: the live page and the service. */
async function addressesOf(program: ChildProgram): Promise<string[]> {
  await program.waitForOutput(/Traffic {2}/);
  return [...program.output.matchAll(/(?:Live page|Service) +(\S+)/g)].map((match) => match[1]!);
}

async function pidOfChild(parent: number, script: string): Promise<number> {
  const { stdout } = await promisify(execFile)('ps', ['-A', '-o', 'pid=,ppid=,args=']);
  const lines = stdout.split('\n').map((line) => line.trim().split(/\s+/));
  const [pid] = lines.find(([, ppid, ...args]) => Number(ppid) === parent && args.join(' ').includes(script)) ?? [];
  if (pid === undefined) throw new Error(`Expected ${script} among the children of ${parent}:\n${stdout}`);
  return Number(pid);
}

async function expectGone(urls: readonly string[]): Promise<void> {
  const giveUpAt = performance.now() + 20_000;
  for (const url of urls) {
    while ((await isServing(url)) && performance.now() < giveUpAt) await delay(100);
    expect({ url, isServing: await isServing(url) }).toEqual({ url, isServing: false });
  }
}

test.concurrent('prints blocks with their culprits, then a summary, and leaves no process behind', async () => {
  const program = start(['--duration', '9']);
  const addresses = await addressesOf(program);
  expect(addresses).toHaveLength(2);
  await expect(program.ended()).resolves.toBe(0);
  // A block line: its length, its cause, its culprit with file and line, its request.
  expect(program.output).toMatch(/ (?:ms|s) +[a-z_]+ +\w+ \S*src\/\S+\.ts:\d+ +in (?:GET|POST) \//);
  expect(program.output).toMatch(/\d+ requests answered/);
  expect(program.output).toMatch(/blocks? by \d+ culprits?/);
  await expectGone(addresses);
});

test.concurrent('exports to the configured endpoint and starts no receiver of its own', async () => {
  const receiver = await OtlpReceiver.start();
  endings.push(() => receiver.close());
  const program = start(['--duration', '4'], { OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url });
  await expect(program.ended()).resolves.toBe(0);
  expect(program.output).not.toContain('Live page');
  expect([...receiver.serviceNames]).toEqual(['loopwatch-demo']);
  expect(receiver.spans.map((span) => span.name)).toContain('event-loop-blocked');
});

test.concurrent.each(['SIGINT', 'SIGTERM'] as const)(
  'on %s it prints the summary, exits with 0 and leaves no process behind',
  async (signal) => {
    const program = start(['--duration', '0']);
    const addresses = await addressesOf(program);
    await program.waitForOutput(/in (?:GET|POST) \//);
    program.signal(signal);
    await expect(program.ended()).resolves.toBe(0);
    expect(program.output).toMatch(/blocks? by \d+ culprits?/);
    await expectGone(addresses);
  },
);

test.concurrent(
  'it ends with its summary although the service is too busy to end, and leaves no process behind',
  async () => {
    const program = start(['--duration', '0']);
    const addresses = await addressesOf(program);
    await program.waitForOutput(/in (?:GET|POST) \//);
    // A stopped process is like one that is busy for ever.
    process.kill(await pidOfChild(program.pid, 'service.mjs'), 'SIGSTOP');
    program.signal('SIGINT');
    program.signal('SIGINT'); // one Ctrl-C, once from the terminal and once from npm
    await expect(program.ended()).resolves.toBe(0);
    expect(program.output).toMatch(/The demo service was too busy to end/);
    expect(program.output).toMatch(/\d+ requests answered/);
    expect(program.output).toMatch(/blocks? by \d+ culprits?/);
    await expectGone(addresses);
  },
);

test.concurrent('its children end even when it is killed with SIGKILL', async () => {
  const program = start(['--duration', '0']);
  const addresses = await addressesOf(program);
  await program.kill();
  await expectGone(addresses);
});

test.concurrent('a service that cannot start gives an error with its exit code', async () => {
  const occupier = createServer().listen(0, '127.0.0.1');
  endings.push(() => occupier.close());
  await new Promise((resolve) => occupier.once('listening', resolve));
  const { port } = occupier.address() as AddressInfo;
  const program = start(['--duration', '5'], { PORT: String(port) });
  await expect(program.ended()).resolves.toBe(1);
  expect(program.output).toContain('EADDRINUSE');
  expect(program.output).toMatch(/The demo service ended before it was ready, with exit code \d+/);
});

test.concurrent('an invalid option gives an error that names it', async () => {
  const program = start(['--duration', 'long']);
  await expect(program.ended()).resolves.toBe(1);
  expect(program.output).toContain('--duration');
});

// Last: it has run while the others did.
test('with --release 2 it deploys a second release after half of the time, and says which culprit is new in it', async () => {
  await expect(releases.ended()).resolves.toBe(0);
  expect(releases.output.match(/version [12]\.0\.0$/gm)).toEqual(['version 1.0.0', 'version 2.0.0']);
  const sentences = releases.output.match(/^\S+ \(\S+\) took .*$/gm) ?? [];
  expect(sentences.join('\n')).toMatch(/^countActive \(\S*count-active\.ts:\d+\) took .*New in 2\.0\.0\./m);
});

import { expect, test } from '@jest/globals';
import { type NodeMajor, nodeMajors } from '@loopwatch/node-binaries';
import { sampledMajors } from '@loopwatch/test-support';

import { type CliResult, fixture, runCli } from '../support/cli.js';
import { Scratch } from '../support/scratch.js';
import type { Recording } from '../../src/model/recording/recording.js';

// Calm: which request an answer shows is chance where the threads wait for a CPU for most of the time.

async function record(major: NodeMajor, ...program: readonly string[]): Promise<CliResult & Recording> {
  await using scratch = await Scratch.make();
  const result = await runCli(['run', '--quiet', '--json', scratch.json, '--', 'node', ...program], { major });
  return { ...result, ...(await scratch.recording()) };
}

/** A major from Node.js 24 on: in a job for one of them its own, or else this one. */
function keeping(major: NodeMajor): NodeMajor {
  return sampledMajors(major).find((own) => own >= 24) ?? major;
}

test.concurrent.each(nodeMajors)(
  'a block is named by method and route or path of its request, without an SDK, on Node.js %d',
  async (major) => {
    const { code, blocks } = await record(major, fixture('requests.cjs'));
    expect(code).toBe(0);
    // `burn` is the culprit; its caller says which phase it is.
    const names = new Map(
      blocks.map(({ request, profile = '' }) => [/;(in[A-Z]\w+|after\w+);/.exec(profile)?.[1], request]),
    );
    expect(Object.fromEntries(names)).toMatchObject({
      inListener: 'GET /listener',
      afterBody: 'POST /body',
      inExpressRoute: 'POST /api/users/:id',
      inFastifyHandler: 'GET /runs/:id',
      // Only known from Node.js 24 on, unless the program itself uses AsyncLocalStorage.
      afterAwait: major >= 24 ? 'GET /await' : undefined,
      inHttp2Stream: 'GET /stream',
      // Node.js 20 does not publish streams.
      inHttp2Data: major >= 22 ? 'POST /shop.Orders/Total' : undefined,
      afterHttp2Body: major >= 22 ? 'POST /shop.Orders/Total' : undefined,
    });
    expect(names.get('inBackground')).toBeUndefined();
    expect(JSON.stringify(blocks)).not.toContain('secret');
  },
);

/** Request of each block, by the function of the fixture that called `burn`. */
async function requestsOf(
  major: NodeMajor,
  ...program: readonly string[]
): Promise<Record<string, string | undefined>> {
  const { blocks } = await record(major, ...program);
  const functions = /;((?:in|timer|await|after)[A-Z]\w+);/;
  const named = blocks.map(({ request, profile = '' }) => [functions.exec(profile)?.[1] ?? '', request] as const);
  return Object.fromEntries(new Map(named.filter(([name]) => name !== '')));
}

// Until Node.js 22, this is only known where the program itself uses AsyncLocalStorage.
test.concurrent.each([[22, 'contexts'] as const, [keeping(26), ''] as const])(
  'a block has the request whose body has started it, on Node.js %d %s',
  async (major, contexts) => {
    expect(await requestsOf(major, fixture('request-bodies.cjs'), contexts)).toEqual({
      timerOfData: 'POST /timers',
      timerOfEnd: 'POST /timers',
      awaitInData: 'POST /await',
      timerOfStream: 'POST /stream',
      timerOfStreamData: 'POST /streamTimers',
      timerOfStreamEnd: 'POST /streamTimers',
      awaitInStreamData: 'POST /streamAwait',
      timerOfRoute: 'POST /runs/:id',
      timerOfOther: 'POST /other',
    });
  },
);

test.concurrent.each([keeping(24)])(
  'a block in a connection that a request has opened does not have that request once it is answered, on Node.js %d',
  async (major) => {
    expect(await requestsOf(major, fixture('answered-requests.cjs'))).toEqual({
      inFirstReply: 'GET /first',
      inSecondReply: undefined,
      inTimerOfReply: undefined,
      inImmediate: 'GET /immediate',
      inInterval: undefined,
      inTimerOfJob: undefined,
      afterAbort: 'GET /abort',
    });
  },
);

test.concurrent.each(sampledMajors(20, 24))(
  'a block is that of the second of two requests that a client sends without waiting, on Node.js %d',
  async (major) => {
    const { blocks } = await record(major, fixture('pipelined.cjs'));
    const requests = blocks.filter(({ profile = '' }) => profile.includes('burn')).map(({ request }) => request);
    expect(requests).toEqual(['GET /second']);
  },
);

test.concurrent.each(sampledMajors(22, 26))(
  'the function of a block that several requests share ran in the request of the block, on Node.js %d',
  async (major) => {
    const { stdout, blocks } = await record(major, fixture('requests-together.cjs'));
    const tookMs = JSON.parse(stdout.toString()) as Readonly<Record<string, number>>;
    const [longest] = Object.keys(tookMs).sort((one, other) => tookMs[other]! - tookMs[one]!);
    const together = blocks.filter(({ profile = '' }) => profile.includes('inLong') && profile.includes('shared'));
    const functions: Record<string, string> = { '/long': 'inLong', before: 'burnCpu' };
    expect(together.map(({ request, culprit }) => [request, culprit?.functionName])).toEqual([
      [longest === 'before' ? undefined : `GET ${longest}`, functions[longest!] ?? 'shared'],
    ]);
  },
);

// Until Node.js 22, a program that does not use AsyncLocalStorage keeps no request behind an `await`.
test.concurrent.each([keeping(26)])(
  'a block in which code of Node parses the body of a response has the name of its request, on Node.js %d',
  async (major) => {
    const { blocks } = await record(major, fixture('response-json.mjs'));
    const parsing = blocks.filter(({ stackTrace = '' }) => stackTrace.includes('successSteps'));
    expect(parsing).toMatchObject([{ request: 'GET /items', stackQuality: 'post_native' }]);
  },
);

test.concurrent.each(sampledMajors(20, 26))(
  'a block outside of any asynchronous resource has none, on Node.js %d',
  async (major) => {
    const { blocks } = await record(major, fixture('before-exit.cjs'));
    const resources = blocks.map(({ culprit, asyncResource }) => [culprit?.functionName, asyncResource]);
    expect(Object.fromEntries(resources)).toEqual({ inTimer: 'Timeout', 'process.atTheEnd': undefined });
  },
);

test.concurrent.each(sampledMajors(20, 24))(
  'without a block, Node does not hand the resource to every callback, which costs CPU, on Node.js %d',
  async (major) => {
    // On a busy host a callback may last long: it is no block here.
    const options = ['--threshold', '10000'];
    const program = ['node', '--expose-internals', fixture('callback-resources.cjs')];
    const { stdout } = await runCli(['run', ...options, '--', ...program], { major });
    expect(stdout.toString()).toBe('false\n');
  },
);

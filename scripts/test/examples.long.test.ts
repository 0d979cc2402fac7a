import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { afterAll, beforeAll, expect, test } from '@jest/globals';

import {
  copyExample,
  environment,
  examples,
  install,
  INSTALL_TIMEOUT_MS,
  KILL_AFTER_MS,
  npm,
  packInstrumentation,
  request,
  until,
} from './support/examples.ts';
import { OtlpReceiver } from './support/otlp-receiver.ts';

const MAX_OWN_LINES = 40;
const names = await readdir(examples);
/** Those that others start than npm: examples-deployed.long.test.ts runs them. */
const deployed = ['docker', 'kubernetes', 'lambda'];
/** It prints nothing of a block: its metrics say it. */
const scraped = 'prom-client';
const redisServer = 'redis-server';
const hasRedis = spawnSync(redisServer, ['--version']).error === undefined;
// What the example prints itself, and what Next.js prints.
const listening = /(?:listening on |http:\/\/localhost:)(\d+)/;
// The attribute of a span, or the culprit in a line of pino's log. In Next.js, a component blocks.
const culprit = /"(?:functionName":|code\.function\.name","value":\{"stringValue":)"(?:renderInvoice|Invoice)"/;
let scratch: string;
let tarball: string;
let receiver: OtlpReceiver;
let redis: ChildProcess | undefined;
let redisPort: number;

beforeAll(async () => {
  scratch = await mkdtemp(path.join(tmpdir(), 'loopwatch-examples-'));
  tarball = await packInstrumentation(scratch);
  receiver = await OtlpReceiver.start();
  redisPort = await freePort();
  if (hasRedis) redis = spawn(redisServer, ['--port', `${redisPort}`, '--save', ''], { cwd: scratch, stdio: 'ignore' });
}, KILL_AFTER_MS);

afterAll(async () => {
  receiver.close();
  redis?.kill();
  await rm(scratch, { recursive: true, force: true });
});

const timeoutMs = INSTALL_TIMEOUT_MS + 2 * KILL_AFTER_MS;
const withRedis = hasRedis ? test : test.skip;

test.each(names.filter((name) => name !== 'bullmq' && name !== scraped && !deployed.includes(name)))(
  'the example %s, installed and started as its README says, reports the line that blocks',
  reportsItsLine,
  timeoutMs,
);

withRedis.each(['bullmq'])(
  'the example %s, installed and started as its README says, reports the line that blocks, where there is a redis-server',
  reportsItsLine,
  timeoutMs,
);

test(
  'the example prom-client counts the block by its function, on a page that Prometheus reads',
  async () => {
    const directory = path.join(scratch, scraped);
    await copyExample(scraped, directory, tarball);
    await install(directory);
    const child = start(directory);
    let output = '';
    child.stdout!.on('data', (chunk: Buffer) => (output += chunk.toString()));
    const ended = new Promise((resolve) => child.once('exit', resolve));
    try {
      await until(() => listening.test(output));
      const port = listening.exec(output)![1]!;
      const readme = await readFile(path.join(directory, 'README.md'), 'utf8');
      expect(await request(readme, port)).toBe('');
      let metrics = '';
      for (const deadline = Date.now() + KILL_AFTER_MS; !metrics.includes('renderInvoice') && Date.now() < deadline;) {
        await new Promise((resolve) => setTimeout(resolve, 200));
        metrics = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
      }
      expect(metrics).toMatch(
        /^event_loop_blocked_duration_seconds_count\{[^}]*code_function_name="renderInvoice"[^}]*\} 1$/m,
      );
    } finally {
      child.kill('SIGTERM');
      await ended;
    }
  },
  timeoutMs,
);

test.each(names)('the example %s has at most 40 lines of its own', async (name) => {
  const written = await readdir(path.join(examples, name), { recursive: true });
  const files = written.filter(
    (file) => /(\.([mc]?js|jsx|ts|yaml)|^Dockerfile)$/.test(file) && !/^(node_modules|dist|\.next)\b/.test(file),
  );
  const texts = await Promise.all(files.map((file) => readFile(path.join(examples, name, file), 'utf8')));
  // What describes a deployment is counted apart from the program.
  const programs = texts.filter((_, index) => !files[index]!.endsWith('.yaml'));
  const manifests = texts.filter((_, index) => files[index]!.endsWith('.yaml'));
  for (const group of [programs, manifests])
    expect(group.join('').split('\n').length).toBeLessThanOrEqual(MAX_OWN_LINES);
});

test.each(names)('the README of the repository and its packages links to the example %s', async (name) => {
  const readme = await readFile(path.join(examples, '../README.md'), 'utf8');
  expect(readme).toContain(`](examples/${name})`);
});

test.each(['overload-http', 'overload-fastify'])(
  'the example %s refuses the request that has waited for another one',
  async (name) => {
    const directory = path.join(scratch, `${name}-refuses`);
    await copyExample(name, directory, tarball);
    await install(directory);
    const child = start(directory);
    let output = '';
    child.stdout!.on('data', (chunk: Buffer) => (output += chunk.toString()));
    const ended = new Promise((resolve) => child.once('exit', resolve));
    try {
      await until(() => listening.test(output));
      await new Promise((resolve) => setTimeout(resolve, 2000));
      const url = `http://127.0.0.1:${listening.exec(output)![1]!}/`;
      const answers = await Promise.all([1, 2, 3].map(() => fetch(url)));
      const refused = answers.filter(({ status }) => status === 503);
      expect(answers.map(({ status }) => status)).toContain(200);
      expect(refused.length).toBeGreaterThan(0);
      for (const { headers } of refused) expect(headers.get('retry-after')).toBe('1');
      await new Promise((resolve) => setTimeout(resolve, 1500));
      expect((await fetch(url)).status).toBe(200);
    } finally {
      child.kill('SIGTERM');
      await ended;
    }
  },
  timeoutMs,
);

async function reportsItsLine(name: string): Promise<void> {
  const directory = path.join(scratch, name);
  await copyExample(name, directory, tarball);
  await install(directory);
  receiver.bodies.length = 0;
  const readme = await readFile(path.join(directory, 'README.md'), 'utf8');
  if (readme.includes('npm run build')) await npm(directory, 'run', 'build');
  const child = start(directory);
  let output = '';
  child.stdout!.on('data', (chunk: Buffer) => (output += chunk.toString()));
  const ended = new Promise((resolve) => child.once('exit', resolve));
  try {
    await until(() => listening.test(output));
    expect(await request(readme, listening.exec(output)![1]!)).toBe('');
    await until(() => [output, ...receiver.bodies].some((text) => culprit.test(text)));
  } finally {
    child.kill('SIGTERM');
    await ended;
  }
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** Starts what `npm start` starts, without the npm between that would get the signal. */
function start(directory: string): ChildProcess {
  return spawn('sh', ['-c', `exec $(${process.execPath} -p 'require("./package.json").scripts.start')`], {
    cwd: directory,
    stdio: ['ignore', 'pipe', 'inherit'],
    timeout: 2 * KILL_AFTER_MS,
    killSignal: 'SIGKILL',
    env: environment({ ...receiver.variables, PORT: '0', REDIS_URL: `redis://127.0.0.1:${redisPort}` }),
  });
}

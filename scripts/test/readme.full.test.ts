import { execFile, spawn } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';

const run = promisify(execFile);
const root = fileURLToPath(new URL('../..', import.meta.url));
const INSTALL_TIMEOUT_MS = 240_000;
const KILL_AFTER_MS = 60_000;

/** Which test runs each command of the README: this file (`here`) or the named one. */
const COMMANDS: Readonly<Record<string, string>> = {
  'npm install @loopwatch/instrumentation-event-loop @opentelemetry/sdk-node @opentelemetry/api': 'here',
  'node --import @loopwatch/instrumentation-event-loop/register app.js': 'here',
  'npx loopwatch run -- node app.js': 'here',
  'npm start': 'scripts/test/run.full.test.ts, packages/demo/test/launch.waiting.full.test.ts',
  'npm test': '.ci/run, as a part of `npm run test:full`',
  'npm run test:full': '.ci/run, as `npm run test:unit` and `npm run test:integration`',
  'npm run test:long': 'nightly',
  'npm run test:field': 'packages/field/test/field.calm.long.test.ts',
  'npm run test:e2e': '.ci/run',
  'npm run lint': '.ci/run',
  'npm run bench': 'packages/benchmarks',
};

/** A user's service that blocks on each request, in `countPrimes`. */
const APP = `
const http = require('node:http');
function countPrimes(ms) {
  const end = Date.now() + ms;
  let primes = 0;
  for (let n = 2; Date.now() < end; n++) {
    let isPrime = true;
    for (let d = 2; d * d <= n; d++) if (n % d === 0) { isPrime = false; break; }
    if (isPrime) primes++;
  }
  return primes;
}
const server = http.createServer((request, response) => response.end(String(countPrimes(400))));
// A service has been up for a while when its first request arrives.
server.listen(0, '127.0.0.1', () => setTimeout(() => {
  http.get({ port: server.address().port, host: '127.0.0.1' }, (response) => {
    response.resume().on('end', () => setTimeout(() => { server.close(); server.closeAllConnections(); }, 500));
  });
}, 1000));
`;

const readme = await readFile(path.join(root, 'README.md'), 'utf8');
const fences = [...readme.matchAll(/^```(\w*)\n([\s\S]*?)^```$/gm)].map(([, language = '', text = '']) => ({
  language,
  text,
}));

describe('the README', () => {
  test('every command that it names is run by a test', () => {
    const commands = fences.filter(({ language }) => language === '').flatMap(({ text }) => text.trim().split('\n'));
    expect(commands.length).toBeGreaterThan(0);
    expect(commands.filter((command) => !(command in COMMANDS))).toEqual([]);
    expect(Object.keys(COMMANDS).filter((command) => !commands.includes(command))).toEqual([]);
  });

  test('every file that it names exists', async () => {
    const links = [...readme.matchAll(/\]\(((?!https?:)[^)#]+)/g)].map(([, link = '']) => link);
    expect(links.length).toBeGreaterThan(0);
    for (const link of links) await expect(readdirOrFile(path.join(root, link))).resolves.toBeDefined();
  });
});

describe("a user's application", () => {
  let directory: string;
  let receiver: Server;
  let endpoint: string;
  const bodies: string[] = [];

  beforeAll(async () => {
    directory = await mkdtemp(path.join(tmpdir(), 'loopwatch-readme-'));
    await writeFile(path.join(directory, 'package.json'), '{ "name": "newcomer", "private": true }');
    await writeFile(path.join(directory, 'app.js'), APP);
    const tarballs = [await pack('instrumentation-event-loop'), await pack('cli')];
    const sdk = ['@opentelemetry/sdk-node@0.301.0', '@opentelemetry/api@1.10.0'];
    await npm('install', '--no-audit', '--no-fund', ...tarballs, ...sdk);
    receiver = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        if (request.url === '/v1/traces') bodies.push(Buffer.concat(chunks).toString('latin1'));
        response.end();
      });
    });
    await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
    endpoint = `http://127.0.0.1:${String((receiver.address() as AddressInfo).port)}`;
  }, INSTALL_TIMEOUT_MS);

  afterAll(async () => {
    await new Promise((resolve) => receiver.close(resolve));
    await rm(directory, { recursive: true, force: true });
  });

  test('exports its block without a change of its code', async () => {
    bodies.length = 0;
    const ended = await start(['--import', '@loopwatch/instrumentation-event-loop/register', 'app.js']);
    expect(ended).toEqual({ code: 0, signal: null });
    const exported = bodies.join('');
    expect(exported).toContain('event-loop-blocked');
    expect(exported).toContain('countPrimes');
  });

  test('exports its block with the set-up code of the README', async () => {
    const [setUp] = fences.filter(({ language }) => language === 'js');
    await writeFile(path.join(directory, 'telemetry.mjs'), `${setUp?.text ?? ''}${SHUTDOWN}`);
    bodies.length = 0;
    const ended = await start(['--import', './telemetry.mjs', 'app.js']);
    expect(ended).toEqual({ code: 0, signal: null });
    expect(bodies.join('')).toContain('countPrimes');
  });

  test('has its block reported by the command line tool, without an SDK', async () => {
    const { stderr } = await npx('loopwatch', 'run', '--', 'node', 'app.js');
    expect(stderr).toMatch(/countPrimes/);
    expect(stderr).toMatch(/1 block/);
  });

  /** The README's service does not end; this one does, and must flush its telemetry first. */
  const SHUTDOWN = `
import { metrics, trace } from '@opentelemetry/api';
process.once('beforeExit', async () => {
  await trace.getTracerProvider().getDelegate().forceFlush();
  await metrics.getMeterProvider().forceFlush?.();
});
`;

  function start(args: readonly string[]): Promise<{ code: number | null; signal: NodeJS.Signals | null }> {
    return new Promise((resolve, reject) => {
      const child = spawn(process.execPath, args, {
        cwd: directory,
        env: { ...process.env, NODE_OPTIONS: '', OTEL_EXPORTER_OTLP_ENDPOINT: endpoint },
        stdio: ['ignore', 'ignore', 'inherit'],
        timeout: KILL_AFTER_MS,
        killSignal: 'SIGKILL',
      });
      child.on('error', reject);
      child.on('exit', (code, signal) => {
        resolve({ code, signal });
      });
    });
  }

  /** Packs the package as npm publishes it. */
  async function pack(folder: string): Promise<string> {
    const { stdout } = await run('npm', ['pack', '--json', '--pack-destination', directory], {
      cwd: path.join(root, 'packages', folder),
      timeout: KILL_AFTER_MS,
    });
    const [{ filename }] = JSON.parse(stdout) as [{ filename: string }];
    return path.join(directory, filename);
  }

  async function npm(...args: readonly string[]): Promise<void> {
    await run('npm', args, { cwd: directory, timeout: INSTALL_TIMEOUT_MS });
  }

  async function npx(...args: readonly string[]): Promise<{ stderr: string }> {
    return run('npx', ['--no-install', ...args], {
      cwd: directory,
      timeout: KILL_AFTER_MS,
      env: { ...process.env, NODE_OPTIONS: '' },
    });
  }
});

async function readdirOrFile(file: string): Promise<unknown> {
  return readdir(file).catch(() => readFile(file));
}

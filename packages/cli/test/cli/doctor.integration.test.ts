import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { freePort } from '@loopwatch/test-support/free-port';

import type { Diagnosis } from '../../src/model/processes/diagnosis.js';
import { runCli } from '../support/cli.js';
import { TargetProcess } from '../support/target.js';

const INSTRUMENTATION = fileURLToPath(new URL('../../../instrumentation-event-loop', import.meta.url));
/** What the CLI inherits from the test run must not count. */
const CLEAN = Object.fromEntries(
  Object.keys(process.env)
    .filter((name) => /^(LOOPWATCH_|OTEL_)/.test(name))
    .map((name) => [name, '']),
);

let receiver: Server;
let endpoint: string;
let status = 200;
let date: string | undefined;
const requests: string[] = [];
let directory: string;

beforeAll(async () => {
  receiver = createServer((request, response) => {
    requests.push(`${request.method ?? ''} ${request.url ?? ''}`);
    if (date !== undefined) response.setHeader('date', date);
    response.writeHead(status).end('{}');
  });
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
  endpoint = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}`;
});

afterAll(() => {
  receiver.close();
});

/** An application with the packages that it needs, linked as pnpm does it. */
beforeEach(async () => {
  [status, date] = [200, undefined];
  requests.length = 0;
  directory = await realpath(await mkdtemp(path.join(tmpdir(), 'loopwatch-doctor-')));
  await writeFile(path.join(directory, 'package.json'), '{ "name": "shop", "private": true }');
  await link('@loopwatch/instrumentation-event-loop', INSTRUMENTATION);
  for (const name of ['api', 'instrumentation']) {
    await link(`@opentelemetry/${name}`, path.join(INSTRUMENTATION, 'node_modules/@opentelemetry', name));
  }
  await install('@opentelemetry/sdk-node', '0.301.0');
});

afterEach(async () => {
  await rm(directory, { recursive: true, force: true });
});

async function link(name: string, target: string): Promise<void> {
  await mkdir(path.join(directory, 'node_modules', path.dirname(name)), { recursive: true });
  await symlink(await realpath(target), path.join(directory, 'node_modules', name));
}

/** A package that is installed, but never loaded. */
async function install(name: string, version: string, dependencies = {}, within = ''): Promise<void> {
  const folder = path.join(directory, within, 'node_modules', name);
  await mkdir(folder, { recursive: true });
  await writeFile(path.join(folder, 'package.json'), JSON.stringify({ name, version, dependencies }));
}

async function diagnose(
  env: Record<string, string> = {},
  ...args: readonly string[]
): Promise<Diagnosis & { code: number | null }> {
  const result = await runCli(['doctor', '--json', ...args], {
    cwd: directory,
    env: { ...CLEAN, OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, ...env },
  });
  if (result.stderr !== '') throw new Error(result.stderr);
  return { ...(JSON.parse(result.stdout.toString()) as Diagnosis), code: result.code };
}

function rulesOf({ findings }: Diagnosis): string[] {
  return findings.map(({ rule }) => rule);
}

/** Findings about the machine on which the tests run. */
const OF_MACHINE = [
  'cpu-quota-below-one',
  'idle-threads-not-visible',
  'thread-times-not-readable',
  'inspector-port-taken',
];

function withoutMachine(diagnosis: Diagnosis): string[] {
  return rulesOf(diagnosis).filter((rule) => !OF_MACHINE.includes(rule));
}

describe('loopwatch doctor', () => {
  test('has no finding in a good set-up, asks the receiver once and exits with 0', async () => {
    const diagnosis = await diagnose();
    expect(withoutMachine(diagnosis)).toEqual([]);
    expect(diagnosis.code).toBe(diagnosis.findings.length === 0 ? 0 : 1);
    expect(requests).toEqual(['POST /v1/traces']);
    const shown = Object.fromEntries(diagnosis.observations.map(({ label, text }) => [label, text]));
    expect(shown['SDK']).toBe('3.x (@opentelemetry/sdk-node 0.301.0)');
    expect(shown['Exporter']).toMatch(/\/v1\/traces answers 200 after /);
    expect(shown['Clock']).toMatch(/^within /);
  });

  test('prints each finding with its remedy, and exits with 1', async () => {
    const { code, stdout } = await runCli(['doctor'], {
      cwd: directory,
      env: { ...CLEAN, OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, LOOPWATCH_WATCHDOG: 'false' },
    });
    expect(code).toBe(1);
    expect(stdout.toString()).toMatch(
      /\nwatchdog-off\n {4}LOOPWATCH_WATCHDOG is false: .*\n {4}Remove LOOPWATCH_WATCHDOG\.\n/,
    );
  });

  test('finds that no package is installed', async () => {
    await rm(path.join(directory, 'node_modules'), { recursive: true });
    expect(withoutMachine(await diagnose())).toEqual(['instrumentation-not-installed']);
  });

  test('finds that no SDK is installed', async () => {
    await rm(path.join(directory, 'node_modules/@opentelemetry/sdk-node'), { recursive: true });
    expect(withoutMachine(await diagnose())).toEqual(['sdk-not-found']);
  });

  test('finds a second copy of the API, and who brings it', async () => {
    await writeFile(path.join(directory, 'package.json'), '{ "dependencies": { "legacy-tracing": "1.0.0" } }');
    await install('legacy-tracing', '1.0.0', { '@opentelemetry/api': '1.9.0' });
    await install('@opentelemetry/api', '1.9.0', {}, 'node_modules/legacy-tracing');
    const diagnosis = await diagnose();
    expect(withoutMachine(diagnosis)).toEqual(['two-copies']);
    expect(diagnosis.findings[0]!.summary).toContain('1.9.0 (of legacy-tracing)');
  });

  test('finds an invalid option in the environment, in the words of the installed instrumentation', async () => {
    const diagnosis = await diagnose({ LOOPWATCH_BLOCKED_THRESHOLD_MS: '5', LOOPWATCH_BLOCK_MS: '1' });
    expect(withoutMachine(diagnosis)).toEqual(['configuration-warning', 'unknown-variable']);
    expect(diagnosis.findings[0]!.summary).toMatch(/^Expected LOOPWATCH_BLOCKED_THRESHOLD_MS to be a number from 10 /);
  });

  test('finds options that contradict each other', async () => {
    const diagnosis = await diagnose({ LOOPWATCH_LIVENESS_PORT: '9000', LOOPWATCH_WATCHDOG: 'false' });
    expect(withoutMachine(diagnosis)).toEqual(['configuration-warning', 'watchdog-off']);
    expect(diagnosis.findings[0]!.summary).toContain('only the watchdog thread can answer');
  });

  test('finds that nothing listens at the endpoint', async () => {
    const diagnosis = await diagnose({ OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${await freePort()}` });
    expect(withoutMachine(diagnosis)).toEqual(['exporter-not-reachable']);
    expect(diagnosis.findings[0]!.summary).toContain('ECONNREFUSED');
  });

  test('asks no receiver of the variables where a file has the exporters', async () => {
    await writeFile(path.join(directory, 'otel.yml'), 'file_format: "1.0"\n');
    const diagnosis = await diagnose({ OTEL_CONFIG_FILE: 'otel.yml' });
    expect(rulesOf(diagnosis)).not.toContain('exporter-not-reachable');
    expect(requests).toEqual([]);
  });

  test('asks the receiver also where the directory for hang reports is still to be made', async () => {
    expect(withoutMachine(await diagnose({ LOOPWATCH_SPOOL_DIRECTORY: './spool' }))).toEqual([]);
    expect(requests).toEqual(['POST /v1/traces']);
  });

  test('finds that what listens at the endpoint takes no OTLP', async () => {
    status = 404;
    const diagnosis = await diagnose({ OTEL_EXPORTER_OTLP_ENDPOINT: `${endpoint}/v1/traces` });
    expect(withoutMachine(diagnosis)).toEqual(['endpoint-has-signal-path', 'exporter-refuses']);
    expect(requests).toEqual(['POST /v1/traces/v1/traces']);
  });

  test('finds that the clocks differ', async () => {
    date = new Date(Date.now() - 3_600_000).toUTCString();
    const diagnosis = await diagnose();
    expect(withoutMachine(diagnosis)).toEqual(['clock-skew']);
    expect(diagnosis.findings[0]!.summary).toMatch(/is 3(59\d|60\d) s ahead of/);
  });
});

const linux = process.platform === 'linux' ? describe : describe.skip;

linux('loopwatch doctor <pid>', () => {
  test('looks at the process and sends it nothing', async () => {
    await using target = await TargetProcess.program('until-signal.cjs');
    const diagnosis = await diagnose({}, String(target.pid));
    expect(diagnosis.subject).toBe(`process ${target.pid}`);
    expect(rulesOf(diagnosis)).toContain('process-not-instrumented');
    const shown = Object.fromEntries(diagnosis.observations.map(({ label, text }) => [label, text]));
    expect(shown['Node.js']).toMatch(/^v24\./);
    expect(shown['Process']).toContain('until-signal.cjs');
    expect(target.isAlive).toBe(true);
    expect(target.output).toBe('ready\n');
  });

  test('finds why it cannot be asked', async () => {
    await using target = await TargetProcess.hang('loop', { flags: ['--disable-sigusr1'] });
    const diagnosis = await diagnose({}, String(target.pid));
    const finding = diagnosis.findings.find(({ rule }) => rule === 'process-cannot-be-asked');
    expect(finding?.summary).toContain('--disable-sigusr1');
    expect(target.isAlive).toBe(true);
  });

  test('finds that Node.js may not start the watchdog', async () => {
    await using target = await TargetProcess.hang('loop', { flags: ['--permission', '--allow-fs-read=*'] });
    expect(rulesOf(await diagnose({}, String(target.pid)))).toContain('watchdog-not-permitted');
  });

  test('says that there is no such process', async () => {
    const { code, stderr } = await runCli(['doctor', '4194303']);
    expect([code, stderr]).toEqual([1, expect.stringContaining('Expected a process with the id 4194303, found none.')]);
  });
});

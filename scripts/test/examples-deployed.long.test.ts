import { spawn, type ChildProcess } from 'node:child_process';
import { cp, mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { parse } from 'yaml';

import { buildInFolders, problemsOf } from './support/dockerfile.ts';
import {
  copyExample,
  environment,
  examples,
  install,
  INSTALL_TIMEOUT_MS,
  KILL_AFTER_MS,
  packInstrumentation,
  request,
  run,
  until,
} from './support/examples.ts';
import { LambdaService } from './support/lambda-service.ts';
import { OtlpReceiver, type ReceivedSpan } from './support/otlp-receiver.ts';

// There is no container engine where the tests run: folders stand for images, with the programs of this machine.

const TIMEOUT_MS = INSTALL_TIMEOUT_MS + 2 * KILL_AFTER_MS;
const FREEZE_MS = 3000;
let scratch: string;
let tarball: string;
let receiver: OtlpReceiver;
let child: ChildProcess | undefined;

beforeAll(async () => {
  scratch = await mkdtemp(path.join(tmpdir(), 'loopwatch-deployed-'));
  tarball = await packInstrumentation(scratch);
}, KILL_AFTER_MS);

beforeEach(async () => {
  receiver = await OtlpReceiver.start();
});

afterEach(() => {
  child?.kill('SIGCONT');
  child?.kill('SIGKILL');
  child = undefined;
  receiver.close();
});

afterAll(async () => {
  await rm(scratch, { recursive: true, force: true });
});

test(
  'the example docker, built by the steps of its Dockerfile and started by its CMD, reports the line that blocks',
  async () => {
    const directory = path.join(scratch, 'docker');
    await copyExample('docker', directory, tarball);
    const image = await buildInFolders(
      path.join(directory, 'Dockerfile'),
      directory,
      path.join(directory, 'image'),
      npmEnvironment(),
    );
    const { services } = parse(await readFile(path.join(directory, 'compose.yaml'), 'utf8')) as Compose;
    const env = { ...image.env, ...services['app']!.environment, ...receiver.variables, PORT: '0' };
    await startAndAsk('docker', image.command, path.join(image.root, image.workingDirectory), env);
    await until(() => blocks().some((span) => attribute(span, 'code.function.name') === 'renderInvoice'));
    // `docker stop` sends SIGTERM to the process that CMD has started.
    const ended = new Promise((resolve) => {
      child!.once('exit', (_code, signal) => {
        resolve(signal);
      });
    });
    child!.kill('SIGTERM');
    expect(await ended).toBe('SIGTERM');
  },
  TIMEOUT_MS,
);

test(
  'the example kubernetes, with what its init container copies and the variables of its pod, reports the line that blocks',
  async () => {
    const directory = path.join(scratch, 'kubernetes');
    await copyExample('kubernetes', directory, tarball);
    const preload = await buildInFolders(
      path.join(directory, 'Dockerfile'),
      directory,
      path.join(directory, 'image'),
      npmEnvironment(),
    );
    const { spec } = (parse(await readFile(path.join(directory, 'deployment.yaml'), 'utf8')) as Deployment).spec
      .template;
    const volume = path.join(directory, 'volume');
    await mkdir(volume);
    const mounted = (text: string): string => text.replaceAll('/preload', volume);

    const [program, ...arguments_] = spec.initContainers[0]!.command;
    await run(
      program!,
      arguments_.map((text) => mounted(text.replace(/^\/loopwatch/, path.join(preload.root, 'loopwatch')))),
    );
    // What the image of the application has: its program alone.
    const application = path.join(directory, 'application');
    await mkdir(application);
    await cp(path.join(directory, 'app.mjs'), path.join(application, 'app.mjs'));
    const [container] = spec.containers;
    const pod = 'app-5d9c7b-x2x9p';
    const env = Object.fromEntries(
      container!.env.map(({ name, value }) => [name, mounted(value ?? pod).replace('$(POD_NAME)', pod)]),
    );
    await startAndAsk('kubernetes', container!.command, application, { ...env, ...receiver.variables, PORT: '0' });
    await until(() => blocks().some((span) => attribute(span, 'code.function.name') === 'renderInvoice'));
    expect(receiver.bodies.join('')).toContain(`{"key":"k8s.pod.name","value":{"stringValue":"${pod}"}}`);
  },
  TIMEOUT_MS,
);

test(
  'the example lambda exports the block of an invocation before the process is frozen, and reports no block for the time in which it is frozen',
  async () => {
    const directory = path.join(scratch, 'lambda');
    await copyExample('lambda', directory, tarball);
    await install(directory);
    const service = await LambdaService.start();
    try {
      child = spawn(process.execPath, [path.join(import.meta.dirname, 'fixtures/lambda-runtime.mjs')], {
        cwd: directory,
        stdio: 'inherit',
        env: environment({
          ...receiver.variables,
          ...variablesOfReadme(await readFile(path.join(directory, 'README.md'), 'utf8')),
          AWS_LAMBDA_FUNCTION_NAME: 'invoices',
          AWS_LAMBDA_RUNTIME_API: service.address,
          LAMBDA_TASK_ROOT: directory,
          _HANDLER: 'index.handler',
        }),
      });
      expect(await service.invoke({ items: 1 })).toMatch(/^\d+/);
      // The watchdog of a process begins to run a moment after its start.
      await new Promise((resolve) => setTimeout(resolve, 1000));
      await freeze();
      // Slow enough for a block on any machine, and the process is frozen right after its end.
      expect(await service.invoke({ items: 60_000_000 })).toMatch(/^\d+/);
      child.kill('SIGSTOP');
      expect(blocks().map((span) => attribute(span, 'code.function.name'))).toEqual(['renderInvoice']);
      const invocation = receiver.spans.find(({ spanId }) => spanId === blocks()[0]!.parentSpanId);
      expect(invocation?.name).toBe('invoices');
      for (let count = 0; count < 3; count++) {
        await freeze();
        expect(await service.invoke({ items: 1 })).toMatch(/^\d+/);
      }
      await freeze();
      await service.invoke({ items: 1 });
      expect(receiver.spans.map(({ name }) => name).sort()).toEqual([
        'event-loop-blocked',
        ...Array<string>(6).fill('invoices'),
      ]);
    } finally {
      service.close();
    }
  },
  TIMEOUT_MS,
);

test.each(['docker', 'kubernetes'])('the Dockerfile of the example %s is valid', async (name) => {
  expect(await problemsOf(path.join(examples, name, 'Dockerfile'))).toEqual([]);
});

interface Compose {
  readonly services: Readonly<Record<string, { readonly environment: Readonly<Record<string, string>> }>>;
}

interface Container {
  readonly command: readonly string[];
  readonly env: readonly { readonly name: string; readonly value?: string }[];
}

interface Deployment {
  readonly spec: {
    readonly template: {
      readonly spec: { readonly initContainers: readonly Container[]; readonly containers: readonly Container[] };
    };
  };
}

/** As Lambda does between two invocations. */
async function freeze(): Promise<void> {
  child!.kill('SIGSTOP');
  await new Promise((resolve) => setTimeout(resolve, FREEZE_MS));
  child!.kill('SIGCONT');
}

/** Starts the command of a container and sends the request of the README. */
async function startAndAsk(
  name: string,
  [program, ...arguments_]: readonly string[],
  cwd: string,
  env: Readonly<Record<string, string>>,
): Promise<void> {
  expect(program).toBe('node');
  child = spawn(process.execPath, arguments_, { cwd, stdio: ['ignore', 'pipe', 'inherit'], env: environment(env) });
  let output = '';
  child.stdout!.on('data', (chunk: Buffer) => (output += chunk.toString()));
  await until(() => output.includes('listening on '));
  const readme = await readFile(path.join(examples, name, 'README.md'), 'utf8');
  expect(await request(readme, /\d+/.exec(output)![0])).toBe('');
}

/** The variables that the README gives to the function, without the address of the receiver. */
function variablesOfReadme(readme: string): Record<string, string> {
  const [, list = ''] = /Variables=\{([^}]*)\}/.exec(readme) ?? [];
  const pairs = list.split(',').map((pair) => /^(\w+)=(.*)$/.exec(pair)!.slice(1) as [string, string]);
  return Object.fromEntries(pairs.filter(([, value]) => !value.startsWith('$')));
}

function blocks(): ReceivedSpan[] {
  return receiver.spans.filter(({ name }) => name === 'event-loop-blocked');
}

function attribute({ attributes }: ReceivedSpan, name: string): string | undefined {
  return attributes.find(({ key }) => key === name)?.value.stringValue;
}

function npmEnvironment(): NodeJS.ProcessEnv {
  return environment({ npm_config_audit: 'false', npm_config_fund: 'false', npm_config_prefer_offline: 'true' });
}

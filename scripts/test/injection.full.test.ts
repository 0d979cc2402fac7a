import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync, readSync } from 'node:fs';
import { chmod, cp, mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout } from 'node:timers/promises';

import { nodeBinary, type NodeMajor } from '@loopwatch/node-binaries';
import { casesOn, majorsOfTier, sampledCombinations, type SdkLine } from '@loopwatch/test-support';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals';

import { problemsOf, type BuiltImage } from './support/dockerfile.ts';
import { install, INSTALL_TIMEOUT_MS, KILL_AFTER_MS, run } from './support/examples.ts';
import { buildInjectionImage, injectionDockerfile, InjectedVolume } from './support/injection.ts';
import { OtlpReceiver, type ReceivedSpan } from './support/otlp-receiver.ts';

// There is no container engine where the tests run: folders stand for images and volumes.

const fixtures = path.join(import.meta.dirname, 'fixtures/injection');
const pod = { NAMESPACE: 'shop', POD: 'app-5d9c7b-x2x9p', POD_UID: '5b3f', NODE: 'node1', SERVICE: 'app' };
const podAttributes = ['k8s.namespace.name=shop', 'k8s.pod.name=app-5d9c7b-x2x9p', 'k8s.node.name=node1'];
/** What an application of each line of the SDK has installed. */
const versions = JSON.parse(
  readFileSync(path.join(import.meta.dirname, '../../packages/test-support/sdk-lines.json'), 'utf8'),
) as Readonly<Record<SdkLine, { readonly api: string; readonly experimental: string }>>;
const onMajors = (...majors: Parameters<typeof sampledCombinations>) =>
  sampledCombinations(...majors).map(({ nodeMajor, sdk }) => [nodeMajor, sdk] as const);
/** A user that owns no file here. Only root can start a program as another user. */
const otherUser = process.getuid?.() === 0 ? { uid: 65534, gid: 65534 } : {};

let scratch: string;
let image: BuiltImage;
let volume: InjectedVolume;
let receiver: OtlpReceiver;
let child: ChildProcess | undefined;

beforeAll(async () => {
  scratch = await mkdtemp(path.join(tmpdir(), 'loopwatch-injection-'));
  await chmod(scratch, 0o755);
  image = await buildInjectionImage(scratch);
  volume = await InjectedVolume.fill(image, path.join(scratch, 'volume'));
  await run('chmod', ['-R', 'a-w', volume.directory]);
}, INSTALL_TIMEOUT_MS);

beforeEach(async () => {
  receiver = await OtlpReceiver.start();
});

afterEach(() => {
  child?.kill('SIGKILL');
  child = undefined;
  receiver.close();
});

afterAll(async () => {
  await run('chmod', ['-R', 'u+w', scratch]);
  await rm(scratch, { recursive: true, force: true });
});

test('the Dockerfile of the image for injection is valid', async () => {
  expect(await problemsOf(injectionDockerfile)).toEqual([]);
});

test('the image holds no native code, so neither libc nor architecture matters', async () => {
  const entries = await readdir(volume.directory, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => path.join(entry.parentPath, entry.name));
  expect(files).toContain(path.join(volume.directory, 'autoinstrumentation.js'));
  const beginnings = ['7f454c46', '0061736d', 'cffaedfe', '4d5a']; // ELF, WebAssembly, Mach-O, PE
  const isBinary = (file: string): boolean => beginnings.some((bytes) => beginning(file).startsWith(bytes));
  expect(files.filter((file) => isBinary(file))).toEqual([]);
  expect(isBinary(process.execPath)).toBe(true);
});

const cases = majorsOfTier.flatMap((major) =>
  casesOn(major, ['app.cjs', 'app.mjs']).map((entry) => [entry, major] as const),
);

test.each(cases)(
  '%s of an image without any package reports its block, with the request and the pod, on Node.js %s',
  async (entry, major) => {
    await startApplication(entry, major, await applicationOf([entry]));
    const block = await blockOnce();
    expect(receiver.spans.find(({ spanId }) => spanId === block.parentSpanId)?.name).toBe('GET');
    expect(resourceAttributes()).toEqual(expect.arrayContaining([...podAttributes, 'service.name=app']));
    expect(await stop()).toEqual({ signal: 'SIGTERM', stderr: '' });
  },
  KILL_AFTER_MS * 2,
);

test.each(onMajors(20, 24))(
  'an application with an SDK of its own keeps it on Node.js %s, %s: one block, one span for each request',
  async (major, sdk) => {
    await startApplication(
      'own-sdk.cjs',
      major,
      await applicationOf(['own-sdk.cjs', 'app.cjs'], await packagesOf(sdk, 'sdk')),
      ownEndpoint(),
    );
    await expectOwnSdk();
  },
  INSTALL_TIMEOUT_MS,
);

test.each(onMajors(22, 26))(
  'an application that starts its own SDK late keeps it on Node.js %s, %s',
  async (major, sdk) => {
    const directory = await applicationOf(['own-sdk-late.mjs', 'app.cjs'], await packagesOf(sdk, 'sdk'));
    await startApplication('own-sdk-late.mjs', major, directory, ownEndpoint());
    await expectOwnSdk();
  },
  INSTALL_TIMEOUT_MS,
);

test.each(onMajors(20, 26))(
  'spans that an application makes with an API of its own are exported on Node.js %s, %s, and the block is in one',
  async (major, sdk) => {
    await startApplication('own-api.mjs', major, await applicationOf(['own-api.mjs'], await packagesOf(sdk, 'api')));
    const block = await blockOnce();
    const parent = receiver.spans.find(({ spanId }) => spanId === block.parentSpanId);
    expect(parent?.name).toBe('own /block');
    expect(receiver.spans.find(({ spanId }) => spanId === parent!.parentSpanId)?.name).toBe('GET');
    expect(await stop()).toEqual({ signal: 'SIGTERM', stderr: '' });
  },
  INSTALL_TIMEOUT_MS,
);

test(
  'a hang is reported where the injected SDK sends to, although that starts later than the watchdog',
  async () => {
    await startApplication('app.cjs', 24, await applicationOf(['app.cjs']));
    await until(async () => {
      await ask('/');
      return receiver.spans.length > 0;
    });
    ask('/hang').catch(() => undefined); // its connection is reset
    await until(() => hangs().length > 0 && receiver.bodies.some((body) => body.includes('"event_loop.stalled"')));
    expect(attribute(hangs().at(-1)!, 'code.function.name')).toBe('renderInvoice');
  },
  KILL_AFTER_MS,
);

test(
  'resource attributes, options and endpoint of the container stay as they are',
  async () => {
    const variables = ownEndpoint();
    await startApplication('app.cjs', 24, await applicationOf(['app.cjs']), {
      ...variables,
      NODE_OPTIONS: `--max-old-space-size=99 ${variables['NODE_OPTIONS']}`,
      OTEL_RESOURCE_ATTRIBUTES: 'k8s.pod.name=mine,team=billing',
      OTEL_SERVICE_NAME: 'mine',
    });
    await blockOnce();
    const attributes = resourceAttributes();
    expect(attributes).toEqual(
      expect.arrayContaining(['k8s.pod.name=mine', 'team=billing', 'service.name=mine', 'k8s.namespace.name=shop']),
    );
    expect(attributes).not.toContain('k8s.pod.name=app-5d9c7b-x2x9p');
  },
  KILL_AFTER_MS * 2,
);

const folders = new Map<string, Promise<string>>();
let stderr = '';
let port = '';
/** How long the span of a block may take to arrive, ms, before the application is asked to block once more. */
const ASK_AGAIN_AFTER_MS = 5000;
/** How often `blockOnce` has let the application block. */
let askedToBlock = 0;

/** The folder of an application as its image has it, with nothing else, or in a folder with installed packages. */
async function applicationOf(files: readonly string[], installed = scratch): Promise<string> {
  const directory = await mkdtemp(path.join(installed, 'application-'));
  for (const file of files) await cp(path.join(fixtures, file), path.join(directory, file));
  await chmod(directory, 0o555);
  return directory;
}

/** A folder with the packages of an SDK line: the SDK and its HTTP instrumentation, or the API alone. */
function packagesOf(sdk: SdkLine, kind: 'sdk' | 'api'): Promise<string> {
  const name = `${kind}-${sdk}`;
  const existing = folders.get(name);
  if (existing !== undefined) return existing;
  const { api, experimental } = versions[sdk];
  const ofSdk = { '@opentelemetry/instrumentation-http': experimental, '@opentelemetry/sdk-node': experimental };
  const created = installInto(path.join(scratch, name), {
    '@opentelemetry/api': api,
    ...(kind === 'sdk' ? ofSdk : {}),
  });
  folders.set(name, created);
  return created;
}

async function installInto(directory: string, dependencies: Readonly<Record<string, string>>): Promise<string> {
  await mkdir(directory);
  await writeFile(path.join(directory, 'package.json'), JSON.stringify({ private: true, dependencies }));
  await install(directory);
  return directory;
}

/** Starts it as a container does: no shell, no PATH, a user that owns nothing, and folders that are read-only. */
async function startApplication(
  entry: string,
  major: NodeMajor,
  cwd: string,
  env: Readonly<Record<string, string>> = {
    ...volume.variables(pod, receiver.variables['OTEL_EXPORTER_OTLP_ENDPOINT']!),
    OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
  },
): Promise<void> {
  child = spawn(nodeBinary(major), [entry], {
    cwd,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { OTEL_BSP_SCHEDULE_DELAY: '100', ...env },
    ...otherUser,
  });
  let stdout = '';
  stderr = '';
  child.stdout!.on('data', (chunk: Buffer) => (stdout += chunk.toString()));
  child.stderr!.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
  await until(() => stdout.includes('listening on '));
  port = /\d+/.exec(stdout)![0];
}

/** The variables of a container that has an endpoint of its own, to which everything must go. */
function ownEndpoint(): Record<string, string> {
  return { ...volume.variables(pod, 'http://127.0.0.1:1'), ...receiver.variables };
}

/**
 * Asks until spans arrive, then lets the application block until a block names its function, and returns that block: the
 * watchdog of a process begins to run a moment after its start, and a block before that has no stack.
 */
async function blockOnce(): Promise<ReceivedSpan> {
  await until(async () => {
    await ask('/');
    return receiver.spans.length > 0;
  });
  const deadline = Date.now() + KILL_AFTER_MS;
  for (askedToBlock = 0; blocks().length === 0 && Date.now() < deadline;) {
    await ask('/block');
    askedToBlock++;
    const askAgainAt = Date.now() + ASK_AGAIN_AFTER_MS;
    await until(() => blocks().length > 0 || Date.now() > askAgainAt);
  }
  await until(() => receiver.spans.some(({ spanId }) => spanId === blocks()[0]?.parentSpanId));
  return blocks()[0]!;
}

async function expectOwnSdk(): Promise<void> {
  const block = await blockOnce();
  const parent = receiver.spans.find(({ spanId }) => spanId === block.parentSpanId);
  expect(parent?.name).toBe('GET');
  expect(parent?.parentSpanId).toBeFalsy();
  expect(await stop()).toEqual({ signal: 'SIGTERM', stderr: '' });
  expect(blocks().length).toBeLessThanOrEqual(askedToBlock);
  expectReportedOnce(allBlocks());
  expect(receiver.spans.filter((span) => pathOf(span) === '/block')).toHaveLength(askedToBlock);
  expect(new Set(resourceAttributes().filter((pair) => pair.startsWith('service.name=')))).toEqual(
    new Set(['service.name=own-service']),
  );
  expect(resourceAttributes()).toEqual(expect.arrayContaining(podAttributes));
}

/**
 * That no block was reported by two instrumentations: the loop cannot be in two blocks at once, and their ends are
 * right within milliseconds. How many there are, the machine decides: a slow one is blocked by the SDK's start, too.
 */
function expectReportedOnce(spans: readonly ReceivedSpan[]): void {
  const inOrder = spans.toSorted((one, other) => Number(startOf(one) - startOf(other)));
  for (const [index, span] of inOrder.slice(1).entries()) {
    expect(startOf(span)).toBeGreaterThan(middleOf(inOrder[index]!));
  }
}

function startOf(span: ReceivedSpan): bigint {
  return BigInt(span.startTimeUnixNano);
}

function middleOf(span: ReceivedSpan): bigint {
  return (startOf(span) + BigInt(span.endTimeUnixNano)) / 2n;
}

function beginning(file: string): string {
  const descriptor = openSync(file, 'r');
  const bytes = Buffer.alloc(4);
  readSync(descriptor, bytes, 0, 4, 0);
  closeSync(descriptor);
  return bytes.toString('hex');
}

async function stop(): Promise<{ signal: unknown; stderr: string }> {
  const ended = once(child!, 'exit');
  child!.kill('SIGTERM');
  const [, signal] = (await ended) as [unknown, unknown];
  return { signal, stderr };
}

async function ask(route: string): Promise<void> {
  await (await fetch(`http://127.0.0.1:${port}${route}`)).arrayBuffer();
}

/** Those that name their function. */
function blocks(): ReceivedSpan[] {
  return allBlocks().filter((span) => attribute(span, 'code.function.name') === 'renderInvoice');
}

function hangs(): ReceivedSpan[] {
  return receiver.spans.filter(({ name }) => name === 'event-loop-hang');
}

function allBlocks(): ReceivedSpan[] {
  return receiver.spans.filter(({ name }) => name === 'event-loop-blocked');
}

function attribute({ attributes }: ReceivedSpan, name: string): string | undefined {
  return attributes.find(({ key }) => key === name)?.value.stringValue;
}

function pathOf(span: ReceivedSpan): string | undefined {
  return attribute(span, 'url.path') ?? attribute(span, 'http.target');
}

/** `key=value` of the resources of all exported spans. */
function resourceAttributes(): string[] {
  return receiver.bodies.flatMap((body) => {
    const { resourceSpans = [] } = JSON.parse(body) as Resources;
    return resourceSpans.flatMap(({ resource }) =>
      resource.attributes.map(({ key, value }) => `${key}=${value.stringValue ?? ''}`),
    );
  });
}

async function until(isTrue: () => boolean | Promise<boolean>): Promise<void> {
  for (const deadline = Date.now() + KILL_AFTER_MS; !(await isTrue());) {
    const hasEnded = child !== undefined && (child.exitCode ?? child.signalCode) !== null;
    if (Date.now() > deadline || hasEnded)
      throw new Error(`Expected it within a minute of a program that runs; its stderr: ${stderr}`);
    await setTimeout(50);
  }
}

interface Resources {
  readonly resourceSpans?: readonly {
    readonly resource: { readonly attributes: readonly { key: string; value: { stringValue?: string } }[] };
  }[];
}

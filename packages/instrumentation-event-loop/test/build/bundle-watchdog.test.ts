import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { Worker } from 'node:worker_threads';

import { afterEach, beforeEach, expect, test } from '@jest/globals';

const bundler = pathToFileURL(path.resolve(import.meta.dirname, '../../build/bundle-watchdog.mjs')).href;

let directory: string;

beforeEach(() => {
  directory = mkdtempSync(path.join(tmpdir(), 'loopwatch-bundle-'));
});

afterEach(() => {
  rmSync(directory, { recursive: true, force: true });
});

/** Runs in a process of its own: Rolldown is native and does not accept the arrays of Jest's realm. */
async function bundleWorker(entry: string): Promise<{ source: string; files: string[] }> {
  const program = `import { bundleWorker } from ${JSON.stringify(bundler)};
console.log(JSON.stringify(await bundleWorker(${JSON.stringify(entry)})));`;
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', program], {
    timeout: 60_000,
  });
  return JSON.parse(stdout) as { source: string; files: string[] };
}

function entryWith(text: string): string {
  writeFileSync(path.join(directory, 'answer.ts'), 'export const answer: number = 42;');
  writeFileSync(path.join(directory, 'main.ts'), text);
  return path.join(directory, 'main.ts');
}

test('the bundled worker runs from its source text alone', async () => {
  const { source } = await bundleWorker(
    entryWith(`import { parentPort } from 'node:worker_threads';
import { answer } from './answer.js';
parentPort?.postMessage(answer);`),
  );
  const worker = new Worker(source, { eval: true, execArgv: [] });
  const message = await new Promise((resolve, reject) => {
    worker.once('message', resolve);
    worker.once('error', reject);
  });
  await worker.terminate();
  expect(message).toBe(42);
});

test('the result names the files that the bundle was made from', async () => {
  const { files } = await bundleWorker(entryWith(`import { answer } from './answer.js'; console.log(answer);`));
  expect(files.map((file) => path.basename(file)).sort()).toEqual(['answer.ts', 'main.ts']);
});

test('a package that can be found is refused, because it would be inlined', async () => {
  const api = createRequire(import.meta.url).resolve('@opentelemetry/api');
  const entry = entryWith(`import { trace } from ${JSON.stringify(api)}; console.log(trace);`);
  await expect(bundleWorker(entry)).rejects.toThrow('to import only node: modules and files of this package');
});

test('a package that cannot be found is refused', async () => {
  const entry = entryWith(`import { trace } from '@opentelemetry/api'; console.log(trace);`);
  await expect(bundleWorker(entry)).rejects.toThrow(
    'to import only node: modules and files of this package, got @opentelemetry/api',
  );
});

// Each process of an application starts the watchdog, and few of them send a hang report.
test('the watchdog loads no module for networks or cryptography when it starts', async () => {
  const { source } = await bundleWorker(path.resolve(import.meta.dirname, '../../src/watchdog/entry.ts'));
  const atStart = [...source.matchAll(/\brequire\([`"']node:(\w+)[`"']\)/g)].map(([, name]) => name);
  expect(atStart).toEqual(expect.arrayContaining(['worker_threads', 'inspector']));
  for (const name of ['http', 'https', 'net', 'tls', 'crypto']) expect(atStart).not.toContain(name);
});

test('the liveness thread loads neither HTTP nor the inspector', async () => {
  const { source } = await bundleWorker(path.resolve(import.meta.dirname, '../../src/liveness/entry.ts'));
  expect([...source.matchAll(/[`"']node:(\w+)[`"']/g)].map(([, name]) => name)).toEqual(
    expect.not.arrayContaining(['http', 'inspector']),
  );
  expect(source).toContain('node:net');
});

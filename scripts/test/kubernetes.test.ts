import { spawnSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import path from 'node:path';

import { expect, test } from '@jest/globals';

const root = path.resolve(import.meta.dirname, '../..');
const file = path.join(root, 'deploy/kubernetes/liveness.yaml');
const manifest = await readFile(file, 'utf8');

test('the manifest sets only variables that the instrumentation reads', async () => {
  const config = await readFile(path.join(root, 'packages/instrumentation-event-loop/src/config.ts'), 'utf8');
  const names = [...manifest.matchAll(/name: (LOOPWATCH_\w+)/g)].map(([, name = '']) => name);
  expect(names.sort()).toEqual([
    'LOOPWATCH_LIVENESS_HOST',
    'LOOPWATCH_LIVENESS_PORT',
    'LOOPWATCH_LIVENESS_THRESHOLD_MS',
  ]);
  expect(names.filter((name) => !config.includes(`'${name}'`))).toEqual([]);
});

test('the liveness probe asks the port on which the watchdog listens, the others ask the application', () => {
  const port = /name: LOOPWATCH_LIVENESS_PORT\n\s+value: '(\d+)'/.exec(manifest)?.[1];
  expect(manifest).toMatch(new RegExp(`name: liveness\\n\\s+containerPort: ${port}\\n`));
  const probes = [...manifest.matchAll(/(\w+)Probe:\n\s+httpGet: \{ path: (\S+), port: (\w+) \}/g)];
  expect(probes.map(([, probe, route, name]) => [probe, route, name])).toEqual([
    ['startup', '/ready', 'http'],
    ['readiness', '/ready', 'http'],
    ['liveness', '/livez', 'liveness'],
  ]);
});

const validator = spawnSync('kubernetes-validate', ['--version']).error === undefined ? test : test.skip;

validator('the manifest is valid by the schemas of Kubernetes, where their validator is installed', () => {
  const { status, stdout, stderr } = spawnSync('kubernetes-validate', ['--strict', file], { encoding: 'utf8' });
  expect([status, stdout, stderr]).toEqual([0, expect.any(String), expect.any(String)]);
});

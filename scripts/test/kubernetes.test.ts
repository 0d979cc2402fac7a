import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';

import { expect, test } from '@jest/globals';
import { parse } from 'yaml';

const root = path.resolve(import.meta.dirname, '../..');
const file = path.join(root, 'deploy/kubernetes/liveness.yaml');
const example = path.join(root, 'examples/kubernetes/deployment.yaml');
const manifest = await readFile(file, 'utf8');

test('the manifest sets only variables that the instrumentation reads', async () => {
  const directory = path.join(root, 'packages/instrumentation-event-loop/src/config');
  const sources = ['options.ts', 'environment.ts'].map((name) => readFile(path.join(directory, name), 'utf8'));
  const config = (await Promise.all(sources)).join('');
  const names = [...manifest.matchAll(/name: (LOOPWATCH_\w+)/g)].map(([, name = '']) => name);
  expect(names.sort()).toEqual([
    'LOOPWATCH_LIVENESS_HOST',
    'LOOPWATCH_LIVENESS_PORT',
    'LOOPWATCH_LIVENESS_THRESHOLD_MS',
    'LOOPWATCH_READINESS_THRESHOLD_MS',
  ]);
  expect(names.filter((name) => !config.includes(`'${name}'`))).toEqual([]);
});

test('the liveness and readiness probes ask the port on which the watchdog listens, the startup probe the application', () => {
  const port = /name: LOOPWATCH_LIVENESS_PORT\n\s+value: '(\d+)'/.exec(manifest)?.[1];
  expect(manifest).toMatch(new RegExp(`name: liveness\\n\\s+containerPort: ${port}\\n`));
  const probes = [...manifest.matchAll(/(\w+)Probe:\n\s+httpGet: \{ path: (\S+), port: (\w+) \}/g)];
  expect(probes.map(([, probe, route, name]) => [probe, route, name])).toEqual([
    ['startup', '/ready', 'http'],
    ['readiness', '/readyz', 'liveness'],
    ['liveness', '/livez', 'liveness'],
  ]);
});

test('the example fills the volume of the pod before the application reads it', () => {
  const { spec } = (parse(readFileSync(example, 'utf8')) as Deployment).spec.template;
  const [init] = spec.initContainers;
  const [app] = spec.containers;
  const [volume] = spec.volumes;
  expect([init!, app!].map(({ volumeMounts }) => volumeMounts[0]!.name)).toEqual([volume!.name, volume!.name]);
  const [{ mountPath }] = app!.volumeMounts as [Mount];
  expect(init!.command.at(-1)).toBe(init!.volumeMounts[0]!.mountPath);
  const preload = app!.env!.find(({ name }) => name === 'NODE_OPTIONS')!.value!;
  expect(preload).toContain(` ${mountPath}/node_modules/@loopwatch/instrumentation-event-loop/dist/register.mjs`);
  expect(app!.env!.find(({ name }) => name === 'NODE_PATH')!.value).toBe(`${mountPath}/node_modules`);
});

// From PyPI. In CI it must be there: a test that is left out shows nothing.
const canValidate = process.env['CI'] === 'true' || spawnSync('kubernetes-validate', ['--version']).error === undefined;
const validator = canValidate ? test : test.skip;

validator.each([
  ['with the liveness probe', file],
  ['of the example', example],
])('the manifest %s is valid by the schemas of Kubernetes, where their validator is installed', (_, manifestFile) => {
  const { status, stdout, stderr } = spawnSync('kubernetes-validate', ['--strict', manifestFile], { encoding: 'utf8' });
  expect([status, stdout, stderr]).toEqual([0, expect.any(String), expect.any(String)]);
});

interface Mount {
  readonly name: string;
  readonly mountPath: string;
}

interface Container {
  readonly command: readonly string[];
  readonly volumeMounts: readonly Mount[];
  readonly env?: readonly { readonly name: string; readonly value?: string }[];
}

interface Deployment {
  readonly spec: {
    readonly template: {
      readonly spec: {
        readonly volumes: readonly { readonly name: string }[];
        readonly initContainers: readonly Container[];
        readonly containers: readonly Container[];
      };
    };
  };
}

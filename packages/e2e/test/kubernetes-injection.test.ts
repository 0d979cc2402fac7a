import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { Instrumentation } from '@kubernetes-models/opentelemetry-operator/opentelemetry.io/v1alpha1';
import { parse, parseAllDocuments } from 'yaml';

import { rootDirectory } from '../../../scripts/lib/paths.mjs';
import { ensureBuilt } from '../../../scripts/stack/build.mjs';
import { kustomizePart } from '../../../scripts/stack/kubernetes-parts.mjs';
import { runCommand } from '../src/commands.ts';

const injection = path.join(rootDirectory, 'deploy/kubernetes/injection');
let kustomize: string;
let directory: string;

beforeAll(async () => {
  const binaries = await ensureBuilt([kustomizePart], (line: string) => void process.stderr.write(`${line}\n`));
  kustomize = binaries['kustomize']!;
  directory = mkdtempSync(path.join(tmpdir(), 'loopwatch-kustomize-'));
  cpSync(injection, directory, { recursive: true });
});

afterAll(() => {
  rmSync(directory, { recursive: true, force: true });
});

test('the example is the application with the volume, the init container and the variables, and nothing else changes', () => {
  expect(render('example')).toMatchSnapshot();
});

test('every container of every kind of workload is injected, and what it has stays', () => {
  const containers = [
    { name: 'first', image: 'a' },
    { name: 'second', image: 'b', env: [{ name: 'NODE_OPTIONS', value: '--max-old-space-size=99 --no-warnings' }] },
  ];
  const workloads = ['Deployment', 'StatefulSet', 'DaemonSet'].map((kind) => ({
    apiVersion: 'apps/v1',
    kind,
    metadata: { name: 'app' },
    spec: {
      template: {
        spec: { containers, initContainers: [{ name: 'migrate' }], volumes: [{ name: 'data', emptyDir: {} }] },
      },
    },
  }));
  writeFileSync(
    path.join(directory, 'example/deployment.yaml'),
    workloads.map((workload) => JSON.stringify(workload)).join('\n---\n'),
  );
  const rendered = parseAllDocuments(render('example')).map((document) => document.toJS() as Workload);
  expect(rendered.map(({ kind }) => kind).sort()).toEqual(['DaemonSet', 'Deployment', 'StatefulSet']);
  for (const { spec } of rendered) {
    const pod = spec.template.spec;
    expect(pod.initContainers.map(({ name }) => name).sort()).toEqual(['loopwatch', 'migrate']);
    expect(pod.volumes.map(({ name }) => name).sort()).toEqual(['data', 'loopwatch']);
    expect(pod.containers.map((container) => optionsOf(container))).toEqual([
      '--require=/otel-auto-instrumentation-nodejs/autoinstrumentation.js',
      '--max-old-space-size=99 --no-warnings --require=/otel-auto-instrumentation-nodejs/autoinstrumentation.js',
    ]);
  }
});

test('the resource for the operator is valid by its schema, and names the image of the component', () => {
  const manifest = parse(readFileSync(path.join(injection, 'instrumentation.yaml'), 'utf8')) as InstrumentationManifest;
  expect(() => {
    new Instrumentation(manifest).validate();
  }).not.toThrow();
  const { spec } = parse(readFileSync(path.join(injection, 'component/pod.yaml'), 'utf8')) as Workload;
  expect(spec.template.spec.initContainers[0]!.image).toBe(manifest.spec.nodejs.image);
});

test('the schema of the operator refuses a resource with a wrong field', () => {
  const manifest = parse(readFileSync(path.join(injection, 'instrumentation.yaml'), 'utf8')) as InstrumentationManifest;
  const wrong = { ...manifest, spec: { ...manifest.spec, nodejs: { image: 1 } } };
  expect(() => {
    new Instrumentation(wrong as never).validate();
  }).toThrow(/image/);
});

function render(folder: string): string {
  const { exitCode, output } = runCommand(kustomize, ['build', path.join(directory, folder)]);
  if (exitCode !== 0) throw new Error(output);
  return output;
}

function optionsOf({ env = [] }: Container): string | undefined {
  return env.find(({ name }) => name === 'NODE_OPTIONS')?.value?.trim();
}

type InstrumentationManifest = ConstructorParameters<typeof Instrumentation>[0] & {
  readonly spec: { readonly nodejs: { readonly image: string } };
};

interface Container {
  readonly name: string;
  readonly image?: string;
  readonly env?: readonly { readonly name: string; readonly value?: string }[];
}

interface Workload {
  readonly kind: string;
  readonly spec: {
    readonly template: {
      readonly spec: {
        readonly containers: readonly Container[];
        readonly initContainers: readonly Container[];
        readonly volumes: readonly { readonly name: string }[];
      };
    };
  };
}

import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

import { nodeBinary } from '@loopwatch/node-binaries';

import { rootDirectory } from '../../../../scripts/lib/paths.mjs';
import type { Jaeger, JaegerSpan } from '../backends/jaeger.ts';
import { runCommand } from '../commands.ts';
import { eventually } from '../eventually.ts';
import type { Cluster } from './cluster.ts';

const fixtures = path.join(rootDirectory, 'scripts/test/fixtures/injection');

type Edit = (text: string) => string;

/** Imports the images of the applications, and that of the injection as build-image.ts has built it. */
export function importApplicationImages(cluster: Cluster, names: readonly string[]): void {
  cluster.importImage({
    name: 'registry.example.com/loopwatch-nodejs:0.1.0',
    programs: { '/bin/cp': '/bin/cp' }, // the one of busybox in the Dockerfile
    files: { '/autoinstrumentation': path.join(cluster.directory, 'injection-image/autoinstrumentation') },
    entrypoint: ['/bin/cp'],
    user: '65532:65532',
  });
  for (const name of names) {
    cluster.importImage({
      name: `registry.example.com/${name}:1.0.0`,
      programs: { '/bin/node': nodeBinary() },
      files: { [`/app.${name}`]: path.join(fixtures, `app.${name}`) },
      entrypoint: ['/bin/node', `/app.${name}`],
    });
  }
}

/** Applies the example in deploy/kubernetes/injection under the names of the applications: one pod on port 3000 each. */
export function deployApplications(
  cluster: Cluster,
  kustomize: string,
  names: readonly string[],
  {
    namespace = 'default',
    editSettings = (text) => text,
    editDeployment = (text) => text,
  }: { namespace?: string; editSettings?: Edit; editDeployment?: Edit } = {},
): void {
  const copy = path.join(cluster.directory, 'manifests');
  cpSync(path.join(rootDirectory, 'deploy/kubernetes/injection'), copy, { recursive: true });
  edit(path.join(copy, 'component/settings.yaml'), editSettings);
  for (const name of names) {
    cpSync(path.join(copy, 'example'), path.join(copy, name), { recursive: true });
    edit(path.join(copy, name, 'deployment.yaml'), (text) =>
      editDeployment(text)
        .replaceAll(/\bapp(?=:1\.0\.0|$)/gm, name)
        .replace('replicas: 2', 'replicas: 1')
        .replace(
          '          env:\n',
          `          env:\n            - { name: PORT, value: '3000' }\n            - { name: HOST, value: 0.0.0.0 }\n`,
        ),
    );
    const { exitCode, output } = runCommand(kustomize, ['build', path.join(copy, name)]);
    if (exitCode !== 0) throw new Error(output);
    const file = path.join(copy, `${name}.yaml`);
    writeFileSync(file, output);
    cluster.kubectl('apply', `--namespace=${namespace}`, '--filename', file);
  }
  for (const name of names) {
    cluster.kubectl('rollout', 'status', `--namespace=${namespace}`, `deployment/${name}`, '--timeout=110s');
  }
}

/**
 * Asks the application to block until Jaeger has such a block: the SDK starts after the first iterations of the event
 * loop. By its function, because a busy host makes other blocks.
 */
export async function blockOf(jaeger: Jaeger, name: string, podAddress: string): Promise<JaegerSpan> {
  const blocks = await eventually(
    `a block of ${name} in renderInvoice`,
    async () => {
      await (await fetch(`http://${podAddress}:3000/block`)).arrayBuffer();
      return jaeger.spansNamed(name, 'event-loop-blocked');
    },
    (spans) => spans.some(isInRenderInvoice),
    { withinMs: 60_000, everyMs: 1000 },
  );
  return blocks.find(isInRenderInvoice)!;
}

function isInRenderInvoice({ attributes }: JaegerSpan): boolean {
  return attributes['code.function.name'] === 'renderInvoice';
}

function edit(file: string, change: Edit): void {
  writeFileSync(file, change(readFileSync(file, 'utf8')));
}

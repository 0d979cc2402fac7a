import { mkdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

import { rootDirectory } from '../../../../scripts/lib/paths.mjs';
import type { Cluster } from './cluster.ts';
import { nodeName } from './node-configuration.ts';

const collectorImage = `docker.io/otel/opentelemetry-collector-contrib:${versionOf('COLLECTOR')}`;

/** What the pod of `helm test` runs. They are those of this machine: the wget of Debian's busybox crashes with `-T`. */
const commands = ['sh', 'date', 'head', 'od', 'tr', 'cut', 'wget'];

/** Images under the names of the chart's, with the programs of the native stack at the paths of the official images. */
export function importChartImages(cluster: Cluster, binaries: Readonly<Record<string, string>>): void {
  const servers = [
    [collectorImage, '/otelcol-contrib', 'otelcol'],
    [`docker.io/jaegertracing/jaeger:${versionOf('JAEGER')}`, '/cmd/jaeger/jaeger-linux', 'jaeger'],
    [`docker.io/prom/prometheus:v${versionOf('PROMETHEUS')}`, '/bin/prometheus', 'prometheus'],
    [`docker.io/prom/alertmanager:v${versionOf('ALERTMANAGER')}`, '/bin/alertmanager', 'alertmanager'],
  ] as const;
  for (const [name, program, binary] of servers) {
    cluster.importImage({ name, programs: { [program]: binaries[binary]! }, entrypoint: [program] });
  }
  cluster.importImage({
    name: `docker.io/library/busybox:${versionOf('BUSYBOX')}`,
    programs: Object.fromEntries(commands.map((name) => [`/bin/${name}`, cluster.programOfMachine(name)])),
    entrypoint: [],
  });
}

/** The image of the collectors under another tag, as a new version of it has. */
export function importNextCollector(cluster: Cluster, tag: string): void {
  cluster.tagImage(collectorImage, collectorImage.replace(/[^:]+$/, tag));
}

/** A default storage class with some volumes on the node, which an administrator without a provisioner makes. */
export function makeVolumes(cluster: Cluster, count: number): void {
  cluster.apply(
    {
      apiVersion: 'storage.k8s.io/v1',
      kind: 'StorageClass',
      metadata: { name: 'local', annotations: { 'storageclass.kubernetes.io/is-default-class': 'true' } },
      provisioner: 'kubernetes.io/no-provisioner',
      volumeBindingMode: 'WaitForFirstConsumer',
    },
    ...Array.from({ length: count }, (_, index) => {
      const directory = path.join(cluster.directory, 'volumes', String(index));
      mkdirSync(directory, { recursive: true });
      const isOnNode = { key: 'kubernetes.io/hostname', operator: 'In', values: [nodeName] };
      return {
        apiVersion: 'v1',
        kind: 'PersistentVolume',
        metadata: { name: `volume-${index}` },
        spec: {
          capacity: { storage: '20Gi' },
          accessModes: ['ReadWriteOnce'],
          persistentVolumeReclaimPolicy: 'Retain',
          storageClassName: 'local',
          local: { path: directory },
          nodeAffinity: { required: { nodeSelectorTerms: [{ matchExpressions: [isOnNode] }] } },
        },
      };
    }),
  );
}

/** A namespace in which the API refuses pods that may run as root or have rights on the node. */
export function makeRestrictedNamespace(cluster: Cluster, name: string): void {
  const labels = { 'pod-security.kubernetes.io/enforce': 'restricted' };
  cluster.apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name, labels } });
}

/** Without the letter that some tags begin with, and without a digest. */
function versionOf(name: string): string {
  const text = readFileSync(path.join(rootDirectory, '.env'), 'utf8');
  return new RegExp(`^${name}_VERSION=v?([^@\\n]+)`, 'm').exec(text)![1]!;
}

import type { ChildProcess } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';

import { rootDirectory } from '../../../../scripts/lib/paths.mjs';
import { eventually } from '../eventually.ts';
import type { Cluster } from './cluster.ts';

/** The namespace in docs/kubernetes.md. */
export const namespace = 'loopwatch';
const smallValues = path.join(rootDirectory, 'deploy/kubernetes/loopwatch/values/small.yaml');
/** For what takes as long as pods take to stop and start. */
export const steady = { withinMs: 240_000, everyMs: 1000 };

/** The chart as docs/kubernetes.md installs it. Its commands are those of that text. */
export class ChartInstallation {
  readonly #cluster: Cluster;

  constructor(cluster: Cluster) {
    this.#cluster = cluster;
  }

  /** Runs the command in the text that begins as given. */
  async run(start: string, ...more: readonly string[]): Promise<string> {
    const [program, ...words] = documentedCommand(start);
    return this.#cluster.run(program!, [...words, ...more], rootDirectory);
  }

  /** Starts the command in the text that begins as given, and goes on until it is ended. */
  start(start: string): ChildProcess {
    const [program, ...words] = documentedCommand(start);
    return this.#cluster.start(program!, words);
  }

  /** The documented command, with the values of the installation, more files of values and single ones. */
  async upgrade(...settings: readonly string[]): Promise<void> {
    const [program, ...words] = documentedCommand('helm upgrade');
    const values = words.map((word) => (word === 'my-values.yaml' ? smallValues : word));
    const set = settings.flatMap((setting) => [setting.endsWith('.yaml') ? '--values' : '--set', setting]);
    await this.#cluster.run(program!, [...values, ...set, '--wait', '--timeout=5m'], rootDirectory);
  }

  pods(component?: string): readonly Pod[] {
    return podsIn(this.#cluster, namespace).filter((pod) => component === undefined || componentOf(pod) === component);
  }

  /** Waits until there are only so many pods of each component, and all are ready. */
  async allReady(counts: Readonly<Record<string, number>>): Promise<void> {
    const wanted = Object.entries(counts).flatMap(([name, count]) => new Array<string>(count).fill(`${name}: ready`));
    await eventually(
      `these pods: ${wanted.join(', ')}`,
      () => Promise.resolve(this.pods().map(describePod)),
      (pods) => pods.toSorted().join() === wanted.toSorted().join(),
      steady,
    );
  }

  /** By the address of a Service, which kube-proxy makes; the names are for pods only. */
  urlOf(component: string, port: number): string {
    const service = this.#cluster.get(`service/loopwatch-${component}`, '--namespace', namespace) as {
      readonly spec: { readonly clusterIP: string };
    };
    return `http://${service.spec.clusterIP}:${port}`;
  }
}

export function podsIn(cluster: Cluster, inNamespace: string): readonly Pod[] {
  return (cluster.get('pods', '--namespace', inNamespace) as { readonly items: readonly Pod[] }).items;
}

export function isReady({ metadata, status }: Pod): boolean {
  return (
    metadata.deletionTimestamp === undefined &&
    (status.conditions ?? []).some(({ type, status: is }) => type === 'Ready' && is === 'True')
  );
}

/** `gateway: ready`, or why it is not. */
function describePod(pod: Pod): string {
  const { conditions = [], containerStatuses } = pod.status;
  const reasons = [conditions.filter(({ status }) => status !== 'True'), containerStatuses];
  return `${componentOf(pod)}: ${isReady(pod) ? 'ready' : JSON.stringify(reasons)}`;
}

function componentOf({ metadata }: Pod): string {
  return metadata.labels['app.kubernetes.io/component'] ?? '';
}

/** The words of a command in docs/kubernetes.md that begins as given. */
function documentedCommand(start: string): readonly string[] {
  const text = readFileSync(path.join(rootDirectory, 'docs/kubernetes.md'), 'utf8');
  const line = text.split('\n').find((each) => each.trim().startsWith(`${start} `));
  if (line === undefined) throw new Error(`Expected a command in docs/kubernetes.md that begins with: ${start}`);
  return line.trim().split(/\s+/);
}

export interface Pod {
  readonly metadata: {
    readonly name: string;
    readonly uid: string;
    readonly labels: Readonly<Record<string, string>>;
    readonly deletionTimestamp?: string;
  };
  readonly spec: { readonly containers: readonly { readonly image: string }[] };
  readonly status: {
    readonly podIP: string;
    readonly conditions?: readonly { readonly type: string; readonly status: string }[];
    readonly containerStatuses: readonly {
      readonly containerID: string;
      readonly restartCount: number;
      readonly ready: boolean;
    }[];
  };
}

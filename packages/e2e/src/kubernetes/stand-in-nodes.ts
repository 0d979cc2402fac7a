import type { Cluster } from './cluster.ts';
import type { Pod } from './chart-installation.ts';

export interface StandInNode {
  readonly name: string;
  readonly zone: string;
}

const EVERY_MS = 1000;

/**
 * Nodes without a kubelet, for what only the control plane decides: where pods go, which may be evicted, how many there
 * are. In the place of kubelets, it says that nodes and the pods on them are ready, and removes pods that shall end.
 * Nothing runs.
 */
export class StandInNodes {
  /** Pods that stay unready, by name. */
  readonly unready = new Set<string>();
  readonly #cluster: Cluster;
  readonly #nodes: readonly StandInNode[];
  readonly #stopping = new AbortController();
  readonly #running: Promise<void>;

  private constructor(cluster: Cluster, nodes: readonly StandInNode[]) {
    this.#cluster = cluster;
    this.#nodes = nodes;
    this.#running = this.#run();
  }

  static start(cluster: Cluster, nodes: readonly StandInNode[]): StandInNodes {
    cluster.apply(
      ...nodes.map(({ name, zone }) => ({
        apiVersion: 'v1',
        kind: 'Node',
        metadata: { name, labels: { 'kubernetes.io/hostname': name, 'topology.kubernetes.io/zone': zone } },
      })),
    );
    return new StandInNodes(cluster, nodes);
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#running;
  }

  async #run(): Promise<void> {
    while (!this.#stopping.signal.aborted) {
      await this.#renewNodes();
      await this.#renewPods();
      await new Promise((resolve) => setTimeout(resolve, EVERY_MS));
    }
  }

  async #renewNodes(): Promise<void> {
    const now = new Date().toISOString().replace(/\.\d+/, '');
    const resources = { cpu: '64', memory: '256Gi', pods: '110', 'ephemeral-storage': '1Ti' };
    const condition = { type: 'Ready', status: 'True', reason: 'StandIn', lastHeartbeatTime: now };
    const status = { conditions: [condition], allocatable: resources, capacity: resources };
    for (const { name } of this.#nodes) await this.#patchStatus(`node/${name}`, [], status);
  }

  async #renewPods(): Promise<void> {
    const text = await this.#cluster.run('kubectl', ['get', 'pods', '--all-namespaces', '--output=json']);
    const { items } = JSON.parse(text) as { readonly items: readonly ScheduledPod[] };
    const names = new Set(this.#nodes.map(({ name }) => name));
    for (const pod of items.filter(({ spec }) => names.has(spec.nodeName ?? ''))) {
      const { name, namespace, deletionTimestamp } = pod.metadata;
      if (deletionTimestamp !== undefined) {
        const force = ['--grace-period=0', '--force', '--ignore-not-found'];
        await this.#cluster.run('kubectl', ['delete', `pod/${name}`, `--namespace=${namespace}`, ...force]);
        continue;
      }
      const isReady = String(!this.unready.has(name)).replace(/^./, (first) => first.toUpperCase());
      if ((pod.status.conditions ?? []).some(({ type, status }) => type === 'Ready' && status === isReady)) continue;
      const now = new Date().toISOString().replace(/\.\d+/, '');
      const conditions = ['Ready', 'ContainersReady'].map((type) => ({
        type,
        status: isReady,
        lastTransitionTime: now,
      }));
      const status = { phase: 'Running', startTime: now, conditions };
      await this.#patchStatus(`pod/${name}`, [`--namespace=${namespace}`], status);
    }
  }

  async #patchStatus(object: string, more: readonly string[], status: object): Promise<void> {
    const patch = ['--subresource=status', '--type=strategic', `--patch=${JSON.stringify({ status })}`];
    // The object may be gone meanwhile.
    await this.#cluster.run('kubectl', ['patch', object, ...more, ...patch]).catch(() => undefined);
  }
}

interface ScheduledPod {
  readonly metadata: Pod['metadata'] & { readonly namespace: string };
  readonly spec: { readonly nodeName?: string };
  readonly status: Pod['status'];
}

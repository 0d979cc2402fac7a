import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:https';
import path from 'node:path';

import type { Cluster } from './cluster.ts';
import { hostAddress } from './node-configuration.ts';

const GROUP = 'metrics.k8s.io';
const PORT = 4443;

/** In the place of metrics-server: says that each pod of a namespace uses as much CPU as the test wants. */
export class MetricsApi {
  /** CPU of each pod, in thousandths of a core. */
  milliCpu = 0;
  readonly #server: Server;

  private constructor(server: Server) {
    this.#server = server;
  }

  static async start(cluster: Cluster): Promise<MetricsApi> {
    const file = (name: string) => path.join(cluster.directory, `metrics-api.${name}`);
    const subject = ['-subj', '/CN=metrics', '-days', '1', '-nodes'];
    const output = ['-keyout', file('key'), '-out', file('crt')];
    execFileSync('openssl', ['req', '-x509', '-newkey', 'rsa:2048', ...subject, ...output], { stdio: 'ignore' });
    const certificate = { key: readFileSync(file('key')), cert: readFileSync(file('crt')) };
    const server = createServer(certificate);
    const api = new MetricsApi(server);
    server.on('request', (request, response) => {
      response.setHeader('content-type', 'application/json');
      void api.#answer(cluster, request.url ?? '').then((answer) => response.end(JSON.stringify(answer)));
    });
    await new Promise<void>((resolve) => server.listen(PORT, hostAddress, resolve));
    server.unref();
    registerIn(cluster);
    return api;
  }

  stop(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  async #answer(cluster: Cluster, url: string): Promise<object> {
    const { pathname, searchParams } = new URL(url, 'https://localhost');
    const [, namespace] = /\/namespaces\/([^/]+)\/pods$/.exec(pathname) ?? [];
    if (namespace === undefined) return resources();
    const selector = searchParams.get('labelSelector') ?? '';
    const words = ['get', 'pods', `--namespace=${namespace}`, `--selector=${selector}`, '--output=json'];
    const { items } = JSON.parse(await cluster.run('kubectl', words)) as PodList;
    const usage = { cpu: `${this.milliCpu}m`, memory: '100Mi' };
    return {
      ...header('PodMetricsList'),
      metadata: {},
      items: items.map(({ metadata: { name, labels }, spec }) => ({
        metadata: { name, namespace, labels },
        timestamp: new Date().toISOString(),
        window: '1s',
        containers: spec.containers.map((container) => ({ name: container.name, usage })),
      })),
    };
  }
}

function registerIn(cluster: Cluster): void {
  const metadata = { name: 'metrics', namespace: 'kube-system' };
  const labels = { 'kubernetes.io/service-name': 'metrics' };
  cluster.apply(
    { apiVersion: 'v1', kind: 'Service', metadata, spec: { ports: [{ name: 'https', port: 443, targetPort: PORT }] } },
    {
      apiVersion: 'discovery.k8s.io/v1',
      kind: 'EndpointSlice',
      metadata: { ...metadata, labels },
      addressType: 'IPv4',
      ports: [{ name: 'https', port: PORT, protocol: 'TCP' }],
      endpoints: [{ addresses: [hostAddress], conditions: { ready: true } }],
    },
    {
      apiVersion: 'apiregistration.k8s.io/v1',
      kind: 'APIService',
      metadata: { name: `v1beta1.${GROUP}` },
      spec: {
        group: GROUP,
        version: 'v1beta1',
        service: { ...metadata, port: 443 },
        insecureSkipTLSVerify: true,
        groupPriorityMinimum: 100,
        versionPriority: 100,
      },
    },
  );
}

function resources(): object {
  const pods = { name: 'pods', singularName: '', namespaced: true, kind: 'PodMetrics', verbs: ['get', 'list'] };
  return { kind: 'APIResourceList', apiVersion: 'v1', groupVersion: `${GROUP}/v1beta1`, resources: [pods] };
}

function header(kind: string): object {
  return { kind, apiVersion: `${GROUP}/v1beta1` };
}

interface PodList {
  readonly items: readonly {
    readonly metadata: { readonly name: string; readonly labels: object };
    readonly spec: { readonly containers: readonly { readonly name: string }[] };
  }[];
}

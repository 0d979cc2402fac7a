import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';

export interface ClusterApi {
  /** File with its address. */
  readonly kubeConfig: string;
  stop(): void;
}

/** As much of the API of Kubernetes as `k8s_attributes` reads: one pod, from which all connections of this machine come. */
export async function startClusterApi(directory: string): Promise<ClusterApi> {
  const header = { kind: 'Pod', apiVersion: 'v1' };
  const pod = {
    metadata: {
      resourceVersion: '1',
      name: 'web-1',
      namespace: 'default',
      uid: '6f3c1f2e-0000-4000-8000-000000000001',
    },
    spec: { nodeName: 'node1' },
    status: { podIP: '127.0.0.1', phase: 'Running' },
  };
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '', 'http://localhost');
    response.setHeader('content-type', 'application/json');
    const isOfPods = url.pathname.endsWith('/pods');
    // A watch stays open: nothing changes. It begins with what there is, where the client asks for that.
    if (url.searchParams.has('watch')) {
      if (url.searchParams.get('sendInitialEvents') === 'true') {
        const annotations = { 'k8s.io/initial-events-end': 'true' };
        const end = { type: 'BOOKMARK', object: { ...header, metadata: { resourceVersion: '1', annotations } } };
        const events = isOfPods ? [{ type: 'ADDED', object: { ...header, ...pod } }, end] : [end];
        for (const event of events) response.write(`${JSON.stringify(event)}\n`);
      }
      response.flushHeaders();
      return;
    }
    response.end(
      JSON.stringify({
        kind: isOfPods ? 'PodList' : 'List',
        apiVersion: 'v1',
        metadata: { resourceVersion: '1' },
        items: isOfPods ? [pod] : [],
      }),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const kubeConfig = path.join(directory, 'kube-config.yaml');
  writeFileSync(
    kubeConfig,
    `apiVersion: v1
kind: Config
clusters: [{ name: load, cluster: { server: 'http://127.0.0.1:${port}' } }]
contexts: [{ name: load, context: { cluster: load, user: load } }]
users: [{ name: load, user: {} }]
current-context: load
`,
  );
  return {
    kubeConfig,
    stop: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

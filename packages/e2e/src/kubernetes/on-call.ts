import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

import { parse, stringify } from 'yaml';

import { rootDirectory } from '../../../../scripts/lib/paths.mjs';
import type { Notification } from '../notifications/webhook.ts';
import { namespace } from './chart-installation.ts';
import { makeRestrictedNamespace } from './chart-materials.ts';
import type { Cluster } from './cluster.ts';

const ofOnCall = 'on-call';
const port = 8080;

/** Answers a POST by keeping its body, and a GET with all of them. */
const program = `
  const bodies = [];
  require('node:http').createServer((request, response) => {
    if (request.method === 'GET') return response.end(JSON.stringify(bodies));
    let body = '';
    request.on('data', (text) => (body += text)).on('end', () => {
      bodies.push(JSON.parse(body));
      response.end();
    });
  }).listen(${port}, '0.0.0.0');`;

/** A pod in a namespace of its own that receives notifications: the image of the applications has the program for it. */
export class OnCall {
  readonly #cluster: Cluster;

  constructor(cluster: Cluster, image: string) {
    this.#cluster = cluster;
    const metadata = { name: 'receiver', namespace: ofOnCall, labels: { app: 'receiver' } };
    const securityContext = {
      ...{ runAsNonRoot: true, runAsUser: 1000, allowPrivilegeEscalation: false },
      ...{ capabilities: { drop: ['ALL'] }, seccompProfile: { type: 'RuntimeDefault' } },
    };
    const command = ['/bin/node', '--eval', program];
    makeRestrictedNamespace(cluster, ofOnCall);
    cluster.apply(
      { apiVersion: 'v1', kind: 'Service', metadata, spec: { selector: metadata.labels, ports: [{ port }] } },
      {
        apiVersion: 'v1',
        kind: 'Pod',
        metadata,
        spec: {
          automountServiceAccountToken: false,
          containers: [{ name: 'receiver', image, command, securityContext }],
        },
      },
    );
    cluster.kubectl('wait', '--for=condition=Ready', 'pod/receiver', `--namespace=${ofOnCall}`, '--timeout=110s');
  }

  /** Makes the Secret with the address, and a file of values as docs/notifications.md describes it; returns its path. */
  writeValues(): string {
    const url = `http://receiver.${ofOnCall}.svc:${port}/`;
    const secret = ['create', 'secret', 'generic', ofOnCall, `--namespace=${namespace}`];
    this.#cluster.kubectl(...secret, `--from-literal=webhook-url=${url}`);
    const example = readFileSync(path.join(rootDirectory, 'deploy/alertmanager/examples/webhook.yml'), 'utf8');
    const { receivers } = parse(example) as { receivers: readonly Readonly<Record<string, unknown>>[] };
    const receiver = Object.fromEntries(Object.entries(receivers[0]!).filter(([key]) => key !== 'name'));
    const file = path.join(this.#cluster.directory, 'on-call.yaml');
    writeFileSync(file, stringify({ alertmanager: { enabled: true, secretName: ofOnCall, receiver } }));
    return file;
  }

  async received(): Promise<readonly Notification[]> {
    const { status } = this.#cluster.get('pod/receiver', `--namespace=${ofOnCall}`) as { status: { podIP: string } };
    return (await (await fetch(`http://${status.podIP}:${port}`)).json()) as Notification[];
  }
}

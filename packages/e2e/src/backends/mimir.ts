import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

import { parse, stringify } from 'yaml';

import { rootDirectory } from '../../../../scripts/lib/paths.mjs';
import { eventually } from '../eventually.ts';

const START_TIMEOUT_MS = 120_000;

/** Mimir as one process with one tenant, and with the limits that docs/kubernetes.md names. */
export class Mimir {
  readonly url: string;
  readonly #child: ChildProcess;

  private constructor(url: string, child: ChildProcess) {
    this.url = url;
    this.#child = child;
  }

  static async start(
    binary: string,
    directory: string,
    ports: { readonly http: number; readonly grpc: number; readonly gossip: number },
    limits: Readonly<Record<string, unknown>>,
  ): Promise<Mimir> {
    mkdirSync(directory, { recursive: true });
    const file = path.join(directory, 'mimir.yaml');
    writeFileSync(file, configuration(directory, ports, limits));
    const log = openSync(path.join(directory, 'mimir.log'), 'a');
    const child = spawn(binary, [`-config.file=${file}`], { stdio: ['ignore', log, log] });
    const mimir = new Mimir(`http://127.0.0.1:${ports.http}`, child);
    const isReady = async () => (await fetch(`${mimir.url}/ready`)).ok;
    await eventually('Mimir is ready', isReady, (ready) => ready, { withinMs: START_TIMEOUT_MS, everyMs: 500 });
    return mimir;
  }

  /** Gives the ruler a group of rules, in YAML, as `mimirtool rules load` does. */
  async loadRules(namespace: string, group: string): Promise<void> {
    const response = await fetch(`${this.url}/prometheus/config/v1/rules/${namespace}`, {
      method: 'POST',
      headers: { 'content-type': 'application/yaml' },
      body: group,
    });
    const answer = await response.text();
    if (!response.ok) throw new Error(`Expected Mimir to accept the rules, got ${response.status}: ${answer}`);
  }

  async stop(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    this.#child.kill('SIGKILL');
    await once(this.#child, 'exit');
  }
}

/** The limits of Mimir in docs/kubernetes.md. */
export function documentedLimits(): Readonly<Record<string, unknown>> {
  const text = readFileSync(path.join(rootDirectory, 'docs/kubernetes.md'), 'utf8');
  const [, yaml] = /```yaml\n(limits:\n[\s\S]*?)```/.exec(text) ?? [];
  if (yaml === undefined) throw new Error('Expected the limits of Mimir in docs/kubernetes.md.');
  return (parse(yaml) as { limits: Record<string, unknown> }).limits;
}

function configuration(
  directory: string,
  { http, grpc, gossip }: Parameters<typeof Mimir.start>[2],
  limits: Readonly<Record<string, unknown>>,
): string {
  const folder = (name: string) => path.join(directory, name);
  const ring = { instance_addr: '127.0.0.1', kvstore: { store: 'memberlist' } };
  return stringify({
    multitenancy_enabled: false,
    target: 'all',
    server: {
      http_listen_address: '127.0.0.1',
      http_listen_port: http,
      grpc_listen_address: '127.0.0.1',
      grpc_listen_port: grpc,
      log_level: 'warn',
    },
    common: { storage: { backend: 'filesystem', filesystem: { dir: folder('common') } } },
    blocks_storage: {
      storage_prefix: 'blocks',
      filesystem: { dir: folder('blocks') },
      tsdb: { dir: folder('tsdb') },
      bucket_store: { sync_dir: folder('sync') },
    },
    compactor: { data_dir: folder('compactor'), sharding_ring: ring },
    distributor: { ring },
    ingester: { ring: { ...ring, replication_factor: 1 } },
    store_gateway: { sharding_ring: { instance_addr: '127.0.0.1', replication_factor: 1 } },
    // Where there is only the loopback interface, each ring needs an address.
    querier: { ring },
    frontend: { address: '127.0.0.1' },
    memberlist: { bind_addr: ['127.0.0.1'], bind_port: gossip, advertise_addr: '127.0.0.1', join_members: [] },
    ruler_storage: { backend: 'filesystem', storage_prefix: 'rules' },
    ruler: { ring, rule_path: folder('rules'), evaluation_interval: '5s', poll_interval: '5s' },
    usage_stats: { enabled: false },
    limits,
  });
}

import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, openSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import path from 'node:path';

import { stringify } from 'yaml';

import { eventually } from '../eventually.ts';

/** The user that Cassandra makes when it starts for the first time. */
export const cassandraUser = { username: 'cassandra', password: 'cassandra' };
const PORT = 9042;
const START_TIMEOUT_MS = 180_000;

/** What Cassandra's own start script opens to it, as `module/package`. */
const opened = [
  ...['lang', 'lang.module', 'lang.reflect', 'net', 'io', 'nio', 'util', 'util.concurrent'].map(
    (name) => `java.base/java.${name}`,
  ),
  'java.base/java.util.concurrent.atomic',
  ...['loader', 'ref', 'reflect', 'math', 'module', 'misc', 'perf', 'util', 'util.jar'].map(
    (name) => `java.base/jdk.internal.${name}`,
  ),
  'java.base/sun.nio.ch',
  'java.sql/java.sql',
  'jdk.management/com.sun.management.internal',
  'java.management.rmi/javax.management.remote.rmi',
  'java.rmi/sun.rmi.registry',
  'java.rmi/sun.rmi.server',
  'java.rmi/sun.rmi.transport',
  'java.rmi/sun.rmi.transport.tcp',
  'java.management/sun.management',
  'jdk.management.jfr/jdk.management.jfr',
  'jdk.naming.dns/com.sun.jndi.dns',
];

/** One node of Cassandra on its usual port, which asks for a password. Its data outlives it, in the given folder. */
export class Cassandra {
  readonly server = `127.0.0.1:${PORT}`;
  readonly #jars: string;
  readonly #directory: string;
  #child: ChildProcess | undefined;

  /** @param jars folder with the jars, see scripts/stack/cassandra-jars.mjs */
  constructor(jars: string, directory: string) {
    this.#jars = jars;
    this.#directory = directory;
    mkdirSync(directory, { recursive: true });
    writeFileSync(path.join(directory, 'cassandra.yaml'), configuration(directory));
  }

  async start(): Promise<void> {
    const log = openSync(path.join(this.#directory, 'cassandra.log'), 'a');
    const access = opened.flatMap((name) => [`--add-opens=${name}=ALL-UNNAMED`, `--add-exports=${name}=ALL-UNNAMED`]);
    this.#child = spawn(
      'java',
      [
        ...access,
        '-Xms256m',
        '-Xmx768m',
        '-Djdk.attach.allowAttachSelf=true',
        `-Dcassandra.config=file://${this.#directory}/cassandra.yaml`,
        `-Dcassandra.storagedir=${this.#directory}`,
        '-Dcassandra-foreground=yes',
        // One node needs not wait for others.
        '-Dcassandra.superuser_setup_delay_ms=0',
        '-Dcassandra.skip_wait_for_gossip_to_settle=0',
        ...['-cp', `${this.#jars}/*`, 'org.apache.cassandra.service.CassandraDaemon'],
      ],
      { stdio: ['ignore', log, log] },
    );
    await eventually('Cassandra listens', listens, (answer) => answer, { withinMs: START_TIMEOUT_MS, everyMs: 500 });
  }

  /** As a crash does. */
  async kill(): Promise<void> {
    if (!this.#child || this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    this.#child.kill('SIGKILL');
    await once(this.#child, 'exit');
  }
}

function configuration(directory: string): string {
  const folder = (name: string) => path.join(directory, name);
  return stringify({
    cluster_name: 'test',
    num_tokens: 4,
    partitioner: 'org.apache.cassandra.dht.Murmur3Partitioner',
    commitlog_sync: 'periodic',
    commitlog_sync_period: '1000ms',
    endpoint_snitch: 'SimpleSnitch',
    listen_address: '127.0.0.1',
    rpc_address: '127.0.0.1',
    native_transport_port: PORT,
    start_native_transport: true,
    authenticator: 'PasswordAuthenticator',
    authorizer: 'CassandraAuthorizer',
    role_manager: 'CassandraRoleManager',
    memtable_heap_space: '64MiB',
    data_file_directories: [folder('data')],
    commitlog_directory: folder('commit-log'),
    saved_caches_directory: folder('caches'),
    hints_directory: folder('hints'),
    cdc_raw_directory: folder('cdc'),
    seed_provider: [
      { class_name: 'org.apache.cassandra.locator.SimpleSeedProvider', parameters: [{ seeds: '127.0.0.1:7000' }] },
    ],
  });
}

function listens(): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(PORT, '127.0.0.1');
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => {
      resolve(false);
    });
  });
}

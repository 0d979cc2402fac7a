import { execFile, execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { closeSync, mkdirSync, openSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';

import { runCommand } from '../commands.ts';
import { eventually } from '../eventually.ts';
import { writeImageArchive, type ImageRecipe } from './image-archive.ts';
import { bringUpLoopback } from './network.ts';
import {
  apiUrl,
  containerdConfiguration,
  hostAddress,
  kubeconfig,
  kubeletConfiguration,
  networkConfiguration,
  nodeName,
  pauseImage,
  proxyConfiguration,
  serviceNetwork,
  token,
  type ClusterPaths,
} from './node-configuration.ts';

type Binaries = Readonly<Record<string, string>>;

const START_TIMEOUT_MS = 120_000;

/**
 * A control plane and one node, in the namespaces of this process, which `npm run test:kubernetes` makes: they end with
 * it, and so do the pods, their mounts and the network.
 */
export class Cluster {
  readonly directory: string;
  readonly #binaries: Binaries;
  readonly #paths: ClusterPaths;

  private constructor(binaries: Binaries, directory: string) {
    this.#binaries = binaries;
    this.directory = directory;
    const plugins = path.dirname(binaries['bridge'] ?? '');
    this.#paths = { directory, plugins, runc: this.programOfMachine('runc') };
  }

  static async start(binaries: Binaries, directory: string): Promise<Cluster> {
    const cluster = new Cluster(binaries, directory);
    makeNetwork();
    await cluster.#startControlPlane();
    await cluster.#startNode();
    return cluster;
  }

  /** A control plane without a node. */
  static async startWithoutNode(binaries: Binaries, directory: string): Promise<Cluster> {
    const cluster = new Cluster(binaries, directory);
    makeNetwork();
    await cluster.#startControlPlane();
    await cluster.#until(
      'the namespace has its account',
      () => cluster.kubectl('get', 'serviceaccount/default') !== '',
    );
    return cluster;
  }

  /** Lets kube-router enforce network policies; without it, every connection is permitted. */
  enforceNetworkPolicies(): void {
    // The pods of the node are on one bridge, which does not show what they send each other to iptables by itself.
    writeFileSync('/proc/sys/net/bridge/bridge-nf-call-iptables', '1');
    this.#spawn('kube-router', [
      '--run-firewall=true',
      '--run-router=false',
      '--run-service-proxy=false',
      `--kubeconfig=${this.#file('kubeconfig')}`,
      `--hostname-override=${nodeName}`,
      `--service-cluster-ip-range=${serviceNetwork}`,
    ]);
  }

  /** Runs kubectl and returns what it prints; throws where it fails. */
  kubectl(...words: readonly string[]): string {
    const { exitCode, output } = runCommand(this.#binaries['kubectl']!, [
      `--kubeconfig=${this.#file('kubeconfig')}`,
      ...words,
    ]);
    if (exitCode !== 0) throw new Error(`kubectl ${words.join(' ')}: ${output}`);
    return output;
  }

  /** Runs a program of the cluster, such as `helm`, while this process goes on, and returns what it prints. */
  async run(name: string, words: readonly string[], cwd = this.directory): Promise<string> {
    const { stdout, stderr } = await promisify(execFile)(this.#binaries[name]!, [...words], {
      cwd,
      env: this.#environment(),
      maxBuffer: 64 * 1024 * 1024,
    });
    return stdout + stderr;
  }

  /** Starts a program of the cluster that goes on until it is ended. */
  start(name: string, words: readonly string[]): ChildProcess {
    return spawn(this.#binaries[name]!, [...words], { env: this.#environment(), stdio: 'ignore' });
  }

  #environment(): NodeJS.ProcessEnv {
    const env = { ...process.env, KUBECONFIG: this.#file('kubeconfig'), XDG_CACHE_HOME: this.#file('cache') };
    return { ...env, XDG_CONFIG_HOME: this.#file('config'), XDG_DATA_HOME: this.#file('data') };
  }

  apply(...objects: readonly object[]): void {
    this.#write('apply.json', JSON.stringify({ apiVersion: 'v1', kind: 'List', items: objects }));
    this.kubectl('apply', '--filename', this.#file('apply.json'));
  }

  get(...words: readonly string[]): unknown {
    return JSON.parse(this.kubectl('get', '--output=json', ...words));
  }

  importImage(recipe: ImageRecipe): void {
    this.#ctr('images', 'import', writeImageArchive(recipe, this.directory));
  }

  /** A second name for an image that was imported. */
  tagImage(name: string, otherName: string): void {
    this.#ctr('images', 'tag', name, otherName);
  }

  /** The id of the first process of a container, by the container's id in the status of its pod. */
  processOf(containerId: string): number {
    const id = containerId.split('//').at(-1)!;
    const [, pid] = new RegExp(`^${id}\\s+(\\d+)`, 'm').exec(this.#ctr('tasks', 'list')) ?? [];
    if (pid === undefined) throw new Error(`Expected a process of the container ${containerId}.`);
    return Number(pid);
  }

  #ctr(...words: readonly string[]): string {
    const address = `--address=${this.#file('containerd.sock')}`;
    return execFileSync(this.#binaries['ctr']!, [address, '--namespace=k8s.io', ...words], {
      encoding: 'utf8',
      stdio: 'pipe',
    });
  }

  programOfMachine(name: string): string {
    return execFileSync('sh', ['-c', `command -v ${name}`], { encoding: 'utf8' }).trim();
  }

  async #startControlPlane(): Promise<void> {
    execFileSync('openssl', ['genrsa', '-out', this.#file('sa.key'), '2048'], { stdio: 'ignore' });
    execFileSync('openssl', ['rsa', '-in', this.#file('sa.key'), '-pubout', '-out', this.#file('sa.pub')], {
      stdio: 'ignore',
    });
    this.#write('tokens.csv', `${token},admin,admin,system:masters\n`);
    this.#write('kubeconfig', kubeconfig());
    this.#spawn('etcd', [
      `--data-dir=${this.#file('etcd')}`,
      '--listen-client-urls=http://127.0.0.1:2379',
      '--advertise-client-urls=http://127.0.0.1:2379',
      '--listen-peer-urls=http://127.0.0.1:2380',
      '--unsafe-no-fsync',
    ]);
    this.#spawn('kube-apiserver', [
      '--etcd-servers=http://127.0.0.1:2379',
      `--cert-dir=${this.#file('pki')}`,
      '--secure-port=6443',
      `--advertise-address=${hostAddress}`,
      `--service-cluster-ip-range=${serviceNetwork}`,
      '--service-account-issuer=https://kubernetes.default.svc',
      `--service-account-key-file=${this.#file('sa.pub')}`,
      `--service-account-signing-key-file=${this.#file('sa.key')}`,
      `--token-auth-file=${this.#file('tokens.csv')}`,
      '--authorization-mode=Node,RBAC',
      '--allow-privileged=true',
      '--kubelet-preferred-address-types=InternalIP',
    ]);
    await this.#until('the control plane is ready', () => this.kubectl('get', '--raw=/readyz') === 'ok');
    this.#spawn('kube-controller-manager', [
      `--kubeconfig=${this.#file('kubeconfig')}`,
      `--service-account-private-key-file=${this.#file('sa.key')}`,
      `--root-ca-file=${this.#file('pki/apiserver.crt')}`,
      '--leader-elect=false',
    ]);
    this.#spawn('kube-scheduler', [`--kubeconfig=${this.#file('kubeconfig')}`, '--leader-elect=false']);
    this.#startNetworkOfServices();
  }

  /** Addresses of Services, by kube-proxy, and their names, by a program of these tests. */
  #startNetworkOfServices(): void {
    this.#write('kube-proxy.json', proxyConfiguration(this.#paths));
    this.#spawn('kube-proxy', [`--config=${this.#file('kube-proxy.json')}`]);
    const program = path.join(import.meta.dirname, 'cluster-dns.ts');
    this.#spawn('dns', [program, hostAddress, apiUrl, token], process.execPath, {
      NODE_EXTRA_CA_CERTS: this.#file('pki/apiserver.crt'),
    });
  }

  async #startNode(): Promise<void> {
    for (const folder of ['cni', 'kubelet', 'pod-logs']) mkdirSync(this.#file(folder));
    this.#write('cni/10-test.conflist', networkConfiguration(this.#paths));
    this.#write('containerd.toml', containerdConfiguration(this.#paths));
    this.#write('kubelet.json', kubeletConfiguration(this.#paths));
    this.#spawn('containerd', [`--config=${this.#file('containerd.toml')}`]);
    const sleep = this.programOfMachine('sleep');
    await this.#until('containerd answers', () => {
      this.importImage({
        name: pauseImage,
        programs: { '/bin/sleep': sleep },
        entrypoint: ['/bin/sleep', 'infinity'],
      });
      return true;
    });
    this.#spawn('kubelet', [
      `--config=${this.#file('kubelet.json')}`,
      `--kubeconfig=${this.#file('kubeconfig')}`,
      `--root-dir=${this.#file('kubelet')}`,
      `--hostname-override=${nodeName}`,
      `--node-ip=${hostAddress}`,
    ]);
    await this.#until('the node is ready', () => {
      const { items } = this.get('nodes') as NodeList;
      return items.some(({ status }) =>
        status.conditions.some(({ type, status: is }) => type === 'Ready' && is === 'True'),
      );
    });
    await this.#until('the namespace has its account', () => this.kubectl('get', 'serviceaccount/default') !== '');
  }

  async #until(what: string, isTrue: () => boolean): Promise<void> {
    await eventually(
      what,
      () => Promise.resolve().then(isTrue),
      (answer) => answer,
      { withinMs: START_TIMEOUT_MS },
    );
  }

  #file(name: string): string {
    return path.join(this.directory, name);
  }

  #write(name: string, content: string): void {
    writeFileSync(this.#file(name), content);
  }

  /** Its output goes to a file of its name. It ends with the namespace of processes. */
  #spawn(
    name: string,
    programArguments: readonly string[],
    program = this.#binaries[name]!,
    environment: Readonly<Record<string, string>> = {},
  ): void {
    const log = openSync(this.#file(`${name}.log`), 'a');
    const plugins = path.dirname(this.#binaries['containerd'] ?? '');
    const child = spawn(program, programArguments, {
      cwd: this.directory,
      stdio: ['ignore', log, log],
      env: { ...process.env, ...environment, PATH: `${plugins}:${process.env['PATH'] ?? ''}` },
    });
    child.unref();
    closeSync(log);
  }
}

function makeNetwork(): void {
  const ip = (...words: readonly string[]): void => void execFileSync('ip', words);
  bringUpLoopback();
  ip('link', 'add', 'test0', 'type', 'bridge');
  ip('addr', 'add', `${hostAddress}/24`, 'dev', 'test0');
  ip('link', 'set', 'test0', 'up');
  ip('route', 'add', 'default', 'dev', 'test0');
  writeFileSync('/proc/sys/net/ipv4/ip_forward', '1');
}

interface NodeList {
  readonly items: readonly {
    readonly status: { readonly conditions: readonly { readonly type: string; readonly status: string }[] };
  }[];
}

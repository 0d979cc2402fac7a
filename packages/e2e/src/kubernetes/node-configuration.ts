import path from 'node:path';

/** Where the programs of the cluster keep their files. */
export interface ClusterPaths {
  readonly directory: string;
  /** Folder of the CNI plug-ins. */
  readonly plugins: string;
  readonly runc: string;
}

export const hostAddress = '10.88.0.1';
const podNetwork = '10.88.1.0/24';
export const serviceNetwork = '10.89.0.0/24';
export const apiUrl = `https://${hostAddress}:6443`;
export const token = 'token';
export const nodeName = 'node1';
export const pauseImage = 'localhost/pause:1';

export function kubeconfig(): string {
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'test', cluster: { server: 'https://127.0.0.1:6443', 'insecure-skip-tls-verify': true } }],
    users: [{ name: 'admin', user: { token } }],
    contexts: [{ name: 'test', context: { cluster: 'test', user: 'admin' } }],
    'current-context': 'test',
  });
}

export function networkConfiguration({ directory }: ClusterPaths): string {
  const ipam = {
    type: 'host-local',
    dataDir: path.join(directory, 'cni-data'),
    ranges: [[{ subnet: podNetwork }]],
    routes: [{ dst: '0.0.0.0/0' }],
  };
  return JSON.stringify({
    cniVersion: '1.0.0',
    name: 'test',
    plugins: [{ type: 'bridge', bridge: 'cni0', isGateway: true, ipMasq: false, ipam }],
  });
}

export function containerdConfiguration({ directory, plugins, runc }: ClusterPaths): string {
  return `version = 3
root = "${directory}/containerd"
state = "${directory}/containerd-state"
[grpc]
address = "${directory}/containerd.sock"
[plugins."io.containerd.cri.v1.images"]
snapshotter = "overlayfs"
[plugins."io.containerd.cri.v1.images".pinned_images]
sandbox = "${pauseImage}"
[plugins."io.containerd.cri.v1.runtime"]
# The test may have less than the privilege to lower the score of its containers.
restrict_oom_score_adj = true
[plugins."io.containerd.cri.v1.runtime".cni]
bin_dirs = ["${plugins}"]
conf_dir = "${directory}/cni"
[plugins."io.containerd.cri.v1.runtime".containerd.runtimes.runc]
runtime_type = "io.containerd.runc.v2"
[plugins."io.containerd.cri.v1.runtime".containerd.runtimes.runc.options]
BinaryName = "${runc}"
SystemdCgroup = false
`;
}

export function kubeletConfiguration({ directory }: ClusterPaths): string {
  return JSON.stringify({
    apiVersion: 'kubelet.config.k8s.io/v1beta1',
    kind: 'KubeletConfiguration',
    containerRuntimeEndpoint: `unix://${directory}/containerd.sock`,
    cgroupDriver: 'cgroupfs',
    // Machines of tests may still have version 1.
    failCgroupV1: false,
    failSwapOn: false,
    authentication: { anonymous: { enabled: true }, webhook: { enabled: false } },
    authorization: { mode: 'AlwaysAllow' },
    resolvConf: '',
    clusterDNS: [hostAddress],
    clusterDomain: 'cluster.local',
    evictionHard: { 'memory.available': '50Mi', 'nodefs.available': '1%', 'imagefs.available': '1%' },
    podLogsDir: path.join(directory, 'pod-logs'),
  });
}

export function proxyConfiguration({ directory }: ClusterPaths): string {
  return JSON.stringify({
    apiVersion: 'kubeproxy.config.k8s.io/v1alpha1',
    kind: 'KubeProxyConfiguration',
    clientConnection: { kubeconfig: path.join(directory, 'kubeconfig') },
    hostnameOverride: nodeName,
    mode: 'nftables',
    clusterCIDR: podNetwork,
    // Settings of the kernel of this machine, which stay as they are.
    conntrack: { maxPerCore: 0, min: 0, tcpEstablishedTimeout: '0s', tcpCloseWaitTimeout: '0s' },
  });
}

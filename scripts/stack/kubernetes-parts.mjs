import { readFileSync } from 'node:fs';
import path from 'node:path';

import { rootDirectory } from '../lib/paths.mjs';

/** @typedef {import('./parts.mjs').Part} Part */

/**
 * Renders the component for injection in the tests.
 * @type {Part}
 */
export const kustomizePart = Object.freeze({
  name: 'kustomize',
  title: 'Kustomize',
  moduleDirectory: 'packages/e2e/kustomize-native',
  packages: ['sigs.k8s.io/kustomize/kustomize/v5'],
  tags: [],
  binaries: ['kustomize'],
});

/**
 * Enforces network policies in the tests; the network of the node does not.
 * @type {Part}
 */
export const kubeRouterPart = Object.freeze({
  name: 'kube-router',
  title: 'kube-router',
  moduleDirectory: 'packages/e2e/kubernetes-native/kube-router',
  packages: ['github.com/cloudnativelabs/kube-router/v2/cmd/kube-router'],
  tags: [],
  isStatic: true,
  binaries: ['kube-router'],
});

const kubernetesModule = 'packages/e2e/kubernetes-native/kubernetes';
const goModule = readFileSync(path.join(rootDirectory, kubernetesModule, 'go.mod'), 'utf8');
const [, version = '', minor = ''] = /k8s\.io\/kubernetes v(1\.(\d+)\.\d+)/.exec(goModule) ?? [];
const versionPackage = 'k8s.io/component-base/version';
// The version that they report, which `go build` does not set.
const linkerFlags = [
  `-X ${versionPackage}.gitVersion=v${version}`,
  `-X ${versionPackage}.gitMajor=1`,
  `-X ${versionPackage}.gitMinor=${minor}`,
].join(' ');

/**
 * A control plane and a node for the tests. runc is not among them: built without libseccomp it starts no pod, so the
 * tests take the one of the machine.
 * @type {readonly Part[]}
 */
export const clusterParts = Object.freeze([
  {
    name: 'kubernetes',
    title: 'Kubernetes',
    moduleDirectory: kubernetesModule,
    packages: ['kube-apiserver', 'kube-controller-manager', 'kube-scheduler', 'kubectl', 'kubelet'].map(
      (name) => `k8s.io/kubernetes/cmd/${name}`,
    ),
    tags: ['providerless'],
    linkerFlags,
    isStatic: true,
    binaries: ['kube-apiserver', 'kube-controller-manager', 'kube-scheduler', 'kubectl', 'kubelet'],
  },
  {
    // A module of its own, so that a change of it does not build all of Kubernetes.
    name: 'kube-proxy',
    title: 'kube-proxy',
    moduleDirectory: 'packages/e2e/kubernetes-native/kube-proxy',
    packages: ['k8s.io/kubernetes/cmd/kube-proxy'],
    tags: ['providerless'],
    linkerFlags,
    isStatic: true,
    binaries: ['kube-proxy'],
  },
  {
    name: 'etcd',
    title: 'etcd',
    moduleDirectory: 'packages/e2e/kubernetes-native/etcd',
    packages: ['go.etcd.io/etcd/server/v3'],
    tags: [],
    isStatic: true,
    binaries: ['etcd'],
  },
  {
    name: 'containerd',
    title: 'containerd and CNI plug-ins',
    moduleDirectory: 'packages/e2e/kubernetes-native/containerd',
    packages: [
      ...['containerd', 'containerd-shim-runc-v2', 'ctr'].map(
        (name) => `github.com/containerd/containerd/v2/cmd/${name}`,
      ),
      ...['main/bridge', 'main/loopback', 'ipam/host-local'].map(
        (name) => `github.com/containernetworking/plugins/plugins/${name}`,
      ),
    ],
    tags: ['no_btrfs', 'no_devmapper', 'no_zfs', 'no_aufs', 'netgo', 'osusergo'],
    isStatic: true,
    binaries: ['containerd', 'containerd-shim-runc-v2', 'ctr', 'bridge', 'loopback', 'host-local'],
  },
]);

import { spawnSync } from 'node:child_process';
import path from 'node:path';

import { readTestResults, together, writeTestResults } from '../jest/results.mjs';
import { runJest } from '../jest/run-jest.mjs';
import { splitArguments } from '../jest/run-tests.mjs';
import { allTestFiles, isNamed } from '../jest/test-files.mjs';
import { Failure } from '../lib/failure.mjs';
import { rootDirectory } from '../lib/paths.mjs';
import { prepare } from '../lib/prepare.mjs';
import { run } from '../lib/run.mjs';
import { workspaceEnvironment, workspaceNode } from '../lib/toolchain.mjs';
import { ensureBuilt } from '../stack/build.mjs';
import { ensureCassandraJars } from '../stack/cassandra-jars.mjs';
import { clusterParts, kubeRouterPart, kustomizePart } from '../stack/kubernetes-parts.mjs';
import { runInNamespaces } from '../stack/namespaces.mjs';
import { helmPart, mimirPart, parts } from '../stack/parts.mjs';

const programs = [
  ...['runc', 'unshare', 'setpriv', 'nsenter', 'ip', 'nft', 'iptables', 'ipset'],
  ...['openssl', 'tar', 'ldd', 'wget', 'mount', 'java', 'mvn'],
];

/**
 * `npm run test:kubernetes`: the tests of packages/e2e/test/kubernetes, each file in a control plane and a node of its
 * own; arguments as for `npm test`.
 * @param {readonly string[]} commandArguments
 */
export async function main(commandArguments) {
  const { fragments, jestArguments } = splitArguments(commandArguments);
  const files = allTestFiles().filter((file) => file.kind === 'kubernetes' && isNamed(file, fragments));
  requireMachine();
  await prepare();
  const wanted = [...parts, ...clusterParts, kubeRouterPart, kustomizePart, helmPart, mimirPart];
  await ensureBuilt(wanted, console.log);
  await ensureCassandraJars(console.log);
  console.log('▸ Tests in Kubernetes');
  let worstExitCode = 0;
  /** @type {import('../jest/results.mjs').JestResults | undefined} */
  let results;
  for (const file of files) {
    const exitCode = await runJest('kubernetes', [file], {
      tier: 'long',
      jestArguments,
      start: (command, words, options) => runInNamespaces(command, words, { ...options, prepare: buildImage }),
    });
    worstExitCode = Math.max(worstExitCode, exitCode);
    const [latest] = readTestResults(['kubernetes']);
    results = results && latest ? together(results, latest) : (latest ?? results);
  }
  if (results) writeTestResults('kubernetes', results);
  return worstExitCode;
}

/** @param {string} directory */
async function buildImage(directory) {
  const program = path.join(rootDirectory, 'packages/e2e/src/kubernetes/build-image.ts');
  const exitCode = await run(await workspaceNode(), [program, directory], { env: workspaceEnvironment() });
  if (exitCode !== 0) throw new Failure(`The image for injection was not built: exit code ${exitCode}, see above.`);
}

function requireMachine() {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) {
    throw new Failure('Expected root on Linux: a node of Kubernetes mounts file systems and makes networks.');
  }
  const missing = programs.filter((name) => spawnSync('sh', ['-c', `command -v ${name}`]).status !== 0);
  if (missing.length === 0) return;
  const packages = 'runc, util-linux, iproute2, nftables, iptables, ipset, wget, mount, default-jre-headless, maven';
  throw new Failure(`Expected these programs on PATH: ${missing.join(', ')} (Debian: ${packages}).`);
}

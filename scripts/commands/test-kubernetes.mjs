import { spawnSync } from 'node:child_process';
import path from 'node:path';

import { runJest } from '../jest/run-jest.mjs';
import { splitArguments } from '../jest/run-tests.mjs';
import { allTestFiles, isNamed } from '../jest/test-files.mjs';
import { Failure } from '../lib/failure.mjs';
import { rootDirectory } from '../lib/paths.mjs';
import { prepare } from '../lib/prepare.mjs';
import { run } from '../lib/run.mjs';
import { workspaceEnvironment, workspaceNode } from '../lib/toolchain.mjs';
import { ensureBuilt } from '../stack/build.mjs';
import { clusterParts, kustomizePart } from '../stack/kubernetes-parts.mjs';
import { runInNamespaces } from '../stack/namespaces.mjs';
import { parts } from '../stack/parts.mjs';

const programs = ['runc', 'unshare', 'setpriv', 'ip', 'openssl', 'tar', 'ldd'];

/**
 * `npm run test:kubernetes`: the tests of packages/e2e/test/kubernetes, in a control plane and a node of their own;
 * arguments as for `npm test`.
 * @param {readonly string[]} commandArguments
 */
export async function main(commandArguments) {
  const { fragments, jestArguments } = splitArguments(commandArguments);
  const files = allTestFiles().filter((file) => file.kind === 'kubernetes' && isNamed(file, fragments));
  requireMachine();
  await prepare();
  await ensureBuilt([...parts, ...clusterParts, kustomizePart], console.log);
  console.log('▸ Tests in Kubernetes');
  return runJest('kubernetes', files, {
    tier: 'long',
    jestArguments,
    start: (command, words, options) => runInNamespaces(command, words, { ...options, prepare: buildImage }),
  });
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
  throw new Failure(`Expected these programs on PATH: ${missing.join(', ')} (Debian: runc, util-linux, iproute2).`);
}

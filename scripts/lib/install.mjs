import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';

import { textFingerprint } from './fingerprint.mjs';
import { workspacePackages } from './packages.mjs';
import { rootDirectory } from './paths.mjs';
import { programStep } from './progress.mjs';
import { readStamp, removeStamp, writeStamp } from './stamp.mjs';
import { pinnedPnpm, runPnpm } from './toolchain.mjs';

const stampName = 'install';

/** Installs what the lockfile says, unless it is installed already. */
export async function install() {
  const wanted = installFingerprint();
  if (existsSync(path.join(rootDirectory, 'node_modules/.modules.yaml')) && readStamp(stampName) === wanted) return;
  removeStamp(stampName);
  await programStep(`Install packages (${pinnedPnpm()}, the first time this takes a minute)`, () =>
    runPnpm(['install', '--frozen-lockfile', '--reporter', 'append-only']),
  );
  writeStamp(stampName, wanted);
}

function installFingerprint() {
  const files = ['package.json', 'pnpm-lock.yaml', 'pnpm-workspace.yaml'].map((name) => path.join(rootDirectory, name));
  const manifests = workspacePackages().map(({ directory }) => path.join(directory, 'package.json'));
  const machine = `${process.platform} ${process.arch}`;
  return textFingerprint([machine, ...[...files, ...manifests].map((file) => readFileSync(file, 'utf8'))]);
}

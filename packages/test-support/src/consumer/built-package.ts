import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';

import { hashOfFolder } from './content-hash.ts';
import { cacheDirectory, packageDirectory, pnpmCommand } from '../paths.ts';

const run = promisify(execFile);

export interface BuiltPackage {
  /** Path of the tarball that `pnpm pack` wrote. */
  readonly tarball: string;
  /** Hash of the packed content that changes: the built files, the manifest and the README. */
  readonly hash: string;
  /** Hash of the manifest alone, which decides what is installed with the package. */
  readonly manifestHash: string;
}

let packed: Promise<BuiltPackage> | undefined;

/** Packs the built instrumentation. The same content is packed once and then taken from the cache. */
export function builtPackage(): Promise<BuiltPackage> {
  packed ??= pack();
  return packed;
}

async function pack(): Promise<BuiltPackage> {
  const dist = path.join(packageDirectory, 'dist');
  if (!existsSync(path.join(dist, 'index.mjs'))) {
    throw new Error(`Expected the built package in ${dist}, found none. Run \`npm run build\` first.`);
  }
  const manifest = readFileSync(path.join(packageDirectory, 'package.json'));
  const manifestHash = createHash('sha256').update(manifest).digest('hex').slice(0, 12);
  const hash = createHash('sha256')
    .update(manifest)
    .update(readFileSync(path.join(packageDirectory, 'README.md')))
    .update(await hashOfFolder(dist))
    .digest('hex')
    .slice(0, 12);

  const tarball = path.join(cacheDirectory, `package-${hash}.tgz`);
  if (!existsSync(tarball)) await packTo(tarball);
  return { tarball, hash, manifestHash };
}

async function packTo(tarball: string): Promise<void> {
  await mkdir(cacheDirectory, { recursive: true, mode: 0o700 });
  const scratch = await mkdtemp(path.join(cacheDirectory, 'packing-'));
  try {
    const [command, ...args] = pnpmCommand;
    await run(command, [...args, 'pack', '--pack-destination', scratch], { cwd: packageDirectory });
    const [file] = (await readdir(scratch)).filter((name) => name.endsWith('.tgz'));
    if (!file) throw new Error(`Expected \`pnpm pack\` to write a tarball to ${scratch}, found none.`);
    await rename(path.join(scratch, file), tarball);
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

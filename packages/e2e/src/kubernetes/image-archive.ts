import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { copyFileSync, cpSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import path from 'node:path';

export interface ImageRecipe {
  readonly name: string;
  /** Programs of this machine, by their path in the image; the libraries that they load come with them. */
  readonly programs?: Readonly<Record<string, string>>;
  /** Folders and files of this machine, by their path in the image. */
  readonly files?: Readonly<Record<string, string>>;
  readonly entrypoint: readonly string[];
  readonly user?: string;
}

const mediaType = 'application/vnd.oci.image.';

/** Writes an image of one layer as an OCI archive, for `ctr images import`. It needs `tar` and `ldd`, and no engine. */
export function writeImageArchive(recipe: ImageRecipe, scratch: string): string {
  const directory = mkdtempSync(path.join(scratch, 'image-'));
  const root = path.join(directory, 'root');
  for (const [target, source] of Object.entries({ ...recipe.files, ...recipe.programs })) {
    cpSync(source, path.join(root, target), { recursive: true, dereference: true });
  }
  for (const program of Object.values(recipe.programs ?? {})) copyLibraries(program, root);
  const layout = path.join(directory, 'layout');
  const blobs = path.join(layout, 'blobs/sha256');
  mkdirSync(blobs, { recursive: true });
  const put = (content: Buffer): { digest: string; size: number } => {
    const hash = createHash('sha256').update(content).digest('hex');
    writeFileSync(path.join(blobs, hash), content);
    return { digest: `sha256:${hash}`, size: content.length };
  };
  const layerFile = path.join(directory, 'layer.tar');
  execFileSync('tar', ['--create', '--file', layerFile, '--owner=0', '--group=0', '--directory', root, '.']);
  const layer = put(readFileSync(layerFile));
  const config = put(
    json({
      architecture: process.arch === 'x64' ? 'amd64' : process.arch,
      os: 'linux',
      config: { Entrypoint: recipe.entrypoint, Env: ['PATH=/bin'], WorkingDir: '/', User: recipe.user ?? '' },
      rootfs: { type: 'layers', diff_ids: [layer.digest] },
    }),
  );
  const manifest = put(
    json({
      schemaVersion: 2,
      mediaType: `${mediaType}manifest.v1+json`,
      config: { mediaType: `${mediaType}config.v1+json`, ...config },
      layers: [{ mediaType: `${mediaType}layer.v1.tar`, ...layer }],
    }),
  );
  const annotations = { 'io.containerd.image.name': recipe.name };
  const entry = { mediaType: `${mediaType}manifest.v1+json`, ...manifest, annotations };
  writeFileSync(path.join(layout, 'index.json'), json({ schemaVersion: 2, manifests: [entry] }));
  writeFileSync(path.join(layout, 'oci-layout'), json({ imageLayoutVersion: '1.0.0' }));
  const archive = path.join(directory, 'image.tar');
  execFileSync('tar', ['--create', '--file', archive, '--directory', layout, '.']);
  return archive;
}

/** The shared libraries of a program and the loader, at the paths where the program looks for them. */
function copyLibraries(program: string, root: string): void {
  const { stdout, stderr, status } = spawnSync('ldd', [program], { encoding: 'utf8' });
  if ((stdout + stderr).includes('not a dynamic executable')) return;
  if (status !== 0) throw new Error(`ldd ${program}: ${stderr}`);
  for (const [library] of stdout.matchAll(/\/[^\s()]+/g)) {
    const target = path.join(root, library);
    mkdirSync(path.dirname(target), { recursive: true });
    copyFileSync(realpathSync(library), target);
  }
}

function json(value: unknown): Buffer {
  return Buffer.from(JSON.stringify(value));
}

import { cp, link, mkdir, readdir, readlink, symlink } from 'node:fs/promises';
import path from 'node:path';

/** Copies a folder by hard links, which is fast for a whole `node_modules`. */
export async function linkTree(from: string, to: string): Promise<void> {
  await mkdir(to, { recursive: true });
  const entries = await readdir(from, { withFileTypes: true });
  await Promise.all(
    entries.map(async (entry) => {
      const source = path.join(from, entry.name);
      const target = path.join(to, entry.name);
      if (entry.isDirectory()) await linkTree(source, target);
      else if (entry.isSymbolicLink()) await symlink(await readlink(source), target);
      else await link(source, target).catch(() => cp(source, target));
    }),
  );
}

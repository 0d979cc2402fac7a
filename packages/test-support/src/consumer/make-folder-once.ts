import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm, utimes } from 'node:fs/promises';
import path from 'node:path';

/**
 * Makes a folder unless it exists: `make` fills a scratch folder, which is then renamed. The rename is atomic, so two
 * processes can make the same folder at the same time; the first one wins.
 */
export async function makeFolderOnce(directory: string, make: (scratch: string) => Promise<void>): Promise<string> {
  if (existsSync(directory)) {
    const now = new Date();
    await utimes(directory, now, now);
    return directory;
  }
  await mkdir(path.dirname(directory), { recursive: true, mode: 0o700 });
  const scratch = await mkdtemp(path.join(path.dirname(directory), 'making-'));
  try {
    await make(scratch);
    await rename(scratch, directory).catch((error: unknown) => {
      if (!existsSync(directory)) throw error;
    });
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
  return directory;
}

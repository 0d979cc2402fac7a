import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import path from 'node:path';

/** Makes a folder unless it exists: an interrupted installation leaves nothing that looks complete. */
export async function makeFolderOnce(directory: string, make: (scratch: string) => Promise<void>): Promise<string> {
  if (existsSync(directory)) return directory;
  await mkdir(path.dirname(directory), { recursive: true });
  const scratch = await mkdtemp(`${directory}-`);
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

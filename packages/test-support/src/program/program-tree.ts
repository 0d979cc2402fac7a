import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cp, mkdir } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';

import type { Consumer } from '../consumer/consumer.ts';
import { hashOfFolder } from '../consumer/content-hash.ts';
import { makeFolderOnce } from '../consumer/make-folder-once.ts';
import { buildScript, kitDirectory } from '../paths.ts';

/** Programs in a consumer, ready to run. The kit is their sibling folder `../kit`. */
export interface ProgramTree {
  readonly directory: string;
  readonly kit: string;
  readonly consumer: Consumer;
}

/**
 * Copies a folder of programs into the consumer and builds those that need it. A folder `packages` in it becomes
 * `node_modules`, which holds third-party code of the programs.
 */
export async function programTree(consumer: Consumer, from: string): Promise<ProgramTree> {
  const hash = createHash('sha256')
    .update(await hashOfFolder(from))
    .update(await hashOfFolder(kitDirectory))
    .digest('hex')
    .slice(0, 12);
  const root = await makeFolderOnce(
    path.join(consumer.directory, `${path.basename(from)}-${hash}`),
    async (scratch) => {
      const programs = path.join(scratch, 'programs');
      await mkdir(programs);
      await cp(kitDirectory, path.join(scratch, 'kit'), { recursive: true });
      await cp(from, programs, { recursive: true, filter: (file) => file !== path.join(from, 'packages') });
      await cp(path.join(from, 'packages'), path.join(programs, 'node_modules'), { recursive: true }).catch(
        (error: unknown) => {
          if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
        },
      );
      await promisify(execFile)(process.execPath, [buildScript, programs]);
    },
  );
  return { directory: path.join(root, 'programs'), kit: path.join(root, 'kit'), consumer };
}

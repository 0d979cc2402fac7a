import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { copyFile, readdir, rm } from 'node:fs/promises';
import path from 'node:path';

import { cacheDirectory, consumerOf, linkTree, makeFolderOnce } from '@loopwatch/test-support';
import type { Consumer, SdkLine } from '@loopwatch/test-support';

import { buildRecorder } from '../recorder/build.ts';

const built = path.join(cacheDirectory, 'recorder');
let hash: Promise<string> | undefined;

/** The consumer of an SDK line with the recording build in the place of the package. */
export async function recordingConsumer(sdk: SdkLine): Promise<Consumer> {
  const consumer = await consumerOf(sdk);
  hash ??= build();
  const name = `npm-recording-${path.basename(consumer.directory)}-${await hash}`;
  const directory = await makeFolderOnce(path.join(cacheDirectory, name), async (scratch) => {
    await linkTree(consumer.directory, scratch);
    const dist = path.join(scratch, 'node_modules/@loopwatch/instrumentation-event-loop/dist');
    for (const file of await readdir(built)) {
      // The file is shared with the other consumer.
      await rm(path.join(dist, file), { force: true });
      await copyFile(path.join(built, file), path.join(dist, file));
    }
  });
  return { ...consumer, directory };
}

async function build(): Promise<string> {
  await buildRecorder(built);
  return createHash('sha256')
    .update(readFileSync(path.join(built, 'index.mjs')))
    .digest('hex')
    .slice(0, 12);
}

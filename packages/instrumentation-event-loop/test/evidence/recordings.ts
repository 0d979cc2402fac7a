import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

import { unpack } from './codec.ts';
import type { Evidence, Profile } from './recording.ts';

export const recordingsDirectory = path.join(import.meta.dirname, 'recordings');

/** All recordings of the repository. */
export function readEvidence(): Evidence {
  const files = readdirSync(recordingsDirectory).filter((file) => file.endsWith('.json.br'));
  const runs = files.sort().flatMap((file) => unpack(readFileSync(path.join(recordingsDirectory, file))));
  const profiles = JSON.parse(readFileSync(path.join(recordingsDirectory, 'profiles.json'), 'utf8')) as Profile[];
  return { runs, profiles };
}

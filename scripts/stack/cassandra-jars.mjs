import { createHash, randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import path from 'node:path';

import { Failure } from '../lib/failure.mjs';
import { rootDirectory } from '../lib/paths.mjs';
import { run } from '../lib/run.mjs';
import { binaryCacheDirectory } from './build.mjs';

/**
 * Downloads the jars of packages/e2e/cassandra-native that are not in the cache, by Maven, and returns their folder. Its
 * name has the content of the pom, so that a changed version is a new download.
 * @param {(line: string) => void} log
 * @returns {Promise<string>}
 */
export async function ensureCassandraJars(log) {
  const pom = path.join(rootDirectory, 'packages/e2e/cassandra-native/pom.xml');
  const key = createHash('sha256').update(readFileSync(pom)).digest('hex').slice(0, 16);
  const directory = path.join(binaryCacheDirectory(), `cassandra-${key}`);
  if (existsSync(directory)) return directory;
  log('Cassandra: downloading its jars (once) …');
  const unfinished = `${directory}.${randomUUID()}`;
  mkdirSync(unfinished, { recursive: true });
  try {
    const goal = ['dependency:copy-dependencies', `-DoutputDirectory=${unfinished}`];
    const exitCode = await run('mvn', ['--quiet', '--batch-mode', '--file', pom, ...goal]);
    if (exitCode !== 0) throw new Failure(`Maven did not download Cassandra: exit code ${exitCode}, see above.`);
    renameSync(unfinished, directory);
  } finally {
    rmSync(unfinished, { recursive: true, force: true });
  }
  return directory;
}

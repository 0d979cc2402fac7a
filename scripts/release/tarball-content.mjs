import { execFileSync } from 'node:child_process';
import { statSync } from 'node:fs';

/** @typedef {{ packedBytes: number, unpackedBytes: number, files: { name: string, bytes: number }[] }} TarballContent */

/**
 * @param {string} tarball
 * @returns {TarballContent}
 */
export function tarballContent(tarball) {
  const listing = execFileSync('tar', ['-tvzf', tarball], { encoding: 'utf8' });
  const files = listing
    .split('\n')
    .filter((line) => line.startsWith('-'))
    .map((line) => /\s(\d+)\s+\S+\s+\S+\s+package\/(.+)$/.exec(line))
    .map((match) => ({ name: match?.[2] ?? '', bytes: Number(match?.[1]) }));
  return {
    packedBytes: statSync(tarball).size,
    unpackedBytes: files.reduce((sum, { bytes }) => sum + bytes, 0),
    files,
  };
}

import path from 'node:path';

import { readUserFile } from '../files/regular-file.js';

/**
 * The `package.json` next to or above a directory, where Node.js cannot read it. With `--require`, Node.js reads it before
 * the program, and ends with an error. Without, it only reads that of the program's own file, which may be elsewhere.
 */
export function brokenPackageOf(directory: string): string | undefined {
  const file = path.join(directory, 'package.json');
  try {
    JSON.parse(readUserFile(file).replace(/^\uFEFF/, ''));
    return undefined;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'ENOENT' && code !== 'ENOTDIR') return file;
    const parent = path.dirname(directory);
    return parent === directory ? undefined : brokenPackageOf(parent);
  }
}

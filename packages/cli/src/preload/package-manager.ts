import { realpathSync } from 'node:fs';

import { isPackageManagerFile } from '../model/processes/package-manager.js';

/** Whether the program is a package manager. `script` is `process.argv[1]`, often a link such as `/usr/bin/npm`. */
export function isPackageManager(
  script: string | undefined,
  realPath: (path: string) => string = realpathSync,
): boolean {
  if (script === undefined) return false;
  let path = script;
  try {
    path = realPath(script);
  } catch {
    // Not a file: code from the command line, or a file that is gone.
  }
  return isPackageManagerFile(path);
}

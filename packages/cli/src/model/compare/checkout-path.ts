import { shortPath } from '../text/format.js';

/** Where a program ran. */
export interface CheckoutPlace {
  readonly directory: string;
  readonly vcs?: { readonly rootDirectory?: string };
}

/**
 * The path as it is the same in each checkout: below the directory of the run relative to it, in `node_modules` from the
 * package on. A file elsewhere in the repository, such as of another package of a monorepo, has its path there: the end
 * of it alone, which `shortPath` has, can be that of several files.
 */
export function checkoutPath(filePath: string, { directory, vcs }: CheckoutPlace): string {
  const path = filePath.replace(/^file:\/\//, '');
  const root = vcs?.rootDirectory;
  const isElsewhere =
    root !== undefined &&
    path.startsWith(`${root}/`) &&
    !path.startsWith(`${directory}/`) &&
    !path.includes('/node_modules/');
  return isElsewhere ? path.slice(root.length) : shortPath(filePath, directory);
}

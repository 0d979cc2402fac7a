/** Installed by npm, or as the packages of a Linux distribution. A folder `share` of a user may hold anything. */
const DIRECTORY =
  /([\\/]node_modules|^\/usr(\/local)?\/share(\/nodejs)?)[\\/](npm|pnpm|yarn|corepack|@yarnpkg[\\/][^\\/]+)[\\/]/;
/** Downloaded by corepack, to a folder that `COREPACK_HOME` may name: `v1/pnpm/10.1.0/bin/pnpm.cjs`. */
const COREPACK = /[\\/]v\d+[\\/](npm|pnpm|yarn)[\\/]\d+\.\d+\.\d+[^\\/]*[\\/]/;
/** A release of Yarn in a repository: `.yarn/releases/yarn-4.5.0.cjs`. */
const YARN_RELEASE = /[\\/]\.yarn[\\/]releases[\\/]yarn-[^\\/]+\.c?js$/;

/** Whether a file is the entry point of a package manager, which only starts the program of the user. */
export function isPackageManagerFile(file: string): boolean {
  return DIRECTORY.test(file) || COREPACK.test(file) || YARN_RELEASE.test(file);
}

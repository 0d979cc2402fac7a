/** Installed by npm, or as the packages of a Linux distribution. A folder `share` of a user may hold anything. */
const DIRECTORY =
  /([\\/]node_modules|^\/usr(\/local)?\/share(\/nodejs)?)[\\/](npm|pnpm|yarn|corepack|@yarnpkg[\\/][^\\/]+)[\\/]/;
/** Downloaded by corepack, to a folder that `COREPACK_HOME` may name: `v1/pnpm/10.1.0/bin/pnpm.cjs`. */
const COREPACK = /[\\/]v\d+[\\/](npm|pnpm|yarn)[\\/]\d+\.\d+\.\d+[^\\/]*[\\/]/;
/** A release of Yarn in a repository: `.yarn/releases/yarn-4.5.0.cjs`. */
const YARN_RELEASE = /[\\/]\.yarn[\\/]releases[\\/]yarn-[^\\/]+\.c?js$/;

/**
 * Whether the program is a package manager, by its script, `process.argv[1]`, often a link such as `/usr/bin/npm`. With
 * `npm start`, npm inherits the same environment and starts first: it must not take the liveness port of the application
 * that it starts. `loopwatch run` does not watch it, by the same rule.
 */
export function isPackageManager(script: string | undefined, realPath: (path: string) => string): boolean {
  if (script === undefined) return false;
  let path = script;
  try {
    path = realPath(script);
  } catch {
    // Not a file: code from the command line, or a file that is gone.
  }
  return DIRECTORY.test(path) || COREPACK.test(path) || YARN_RELEASE.test(path);
}

const PACKAGE_MANAGER = /[\\/]node_modules[\\/](?:npm|pnpm|yarn|corepack|@yarnpkg[\\/][^\\/]+)[\\/]/;

/**
 * Whether the program is a package manager, by its script, `process.argv[1]`. With `npm start`, npm inherits the same
 * environment and starts first: it must not take the liveness port of the application that it starts.
 */
export function isPackageManager(script: string | undefined): boolean {
  return PACKAGE_MANAGER.test(script ?? '');
}

import { fileURLToPath } from 'node:url';

import { ENV_RUN_DIRECTORY } from '../../channel/contract.js';

/** The file that Node.js loads into the program. */
export const PRELOAD = fileURLToPath(new URL('./preload.cjs', import.meta.url));

/**
 * Adds the channel's directory and, in front of the present `NODE_OPTIONS`, the preload. Without that variable, Node.js
 * would use `fileOptions`, those of its `--env-file`. With `=`, because `next dev` joins the values of two `--require`
 * that have none to one path, which does not exist. So it keeps that of the user, and its server is not watched.
 */
export function programEnvironment(env: NodeJS.ProcessEnv, directory: string, fileOptions: string): NodeJS.ProcessEnv {
  return {
    ...env,
    [ENV_RUN_DIRECTORY]: directory,
    NODE_OPTIONS: [`--require=${quote(PRELOAD)}`, env.NODE_OPTIONS ?? fileOptions].join(' ').trim(),
  };
}

/** Quotes for `NODE_OPTIONS`, where they are needed: double quotes, in which a backslash escapes. */
function quote(path: string): string {
  if (!/[\s"]/.test(path)) return path;
  return `"${path.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`;
}

import { fileURLToPath } from 'node:url';

import { ENV_RUN_DIRECTORY } from '../../channel/contract.js';

/** The environment of the program: ours, the channel, and the preload ahead of what `NODE_OPTIONS` holds already. */
export function programEnvironment(env: NodeJS.ProcessEnv, directory: string): NodeJS.ProcessEnv {
  const preload = fileURLToPath(new URL('./preload.cjs', import.meta.url));
  return {
    ...env,
    [ENV_RUN_DIRECTORY]: directory,
    NODE_OPTIONS: [`--require ${quote(preload)}`, env.NODE_OPTIONS ?? ''].join(' ').trim(),
  };
}

/** As `NODE_OPTIONS` wants it: in double quotes, in which the backslash escapes. */
function quote(path: string): string {
  return `"${path.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`;
}

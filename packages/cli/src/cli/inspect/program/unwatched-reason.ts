import path from 'node:path';

import { isPackageManager } from '@loopwatch/instrumentation-event-loop/internal';

import { ENV_RUN_DIRECTORY } from '../../../channel/contract.js';
import type { UnwatchedReason } from '../../../model/processes/unwatched.js';

/**
 * Why a Node.js process that `run` has started, with this environment, does not watch itself; undefined where it may, and
 * where another `loopwatch run` watches it. One that changes its user after its start has reported.
 */
export function unwatchedReason(
  environment: readonly string[],
  { preload, directory }: { readonly preload: string; readonly directory: string },
  isOfOtherUser = false,
): UnwatchedReason | undefined {
  const channel = variable(environment, ENV_RUN_DIRECTORY);
  if (channel !== undefined && channel !== '' && channel !== directory) return undefined;
  const options = variable(environment, 'NODE_OPTIONS');
  if (options === undefined) return 'node_options_removed';
  // In double quotes, a backslash escapes a backslash and a quote.
  if (!options.replace(/\\(["\\])/g, '$1').includes(preload)) return 'node_options_replaced';
  if (channel !== directory) return 'directory_removed';
  return isOfOtherUser ? 'other_user' : undefined;
}

function variable(environment: readonly string[], name: string): string | undefined {
  const prefix = `${name}=`;
  return environment.find((text) => text.startsWith(prefix))?.slice(prefix.length);
}

/** npm and others show their command as the title of the process, in the place of the arguments. */
const TITLE = /^(npm|npx|pnpm|pnpx|yarn|yarnpkg|corepack)( |$)/;

/** Whether a process is, or may be, a package manager: these are not watched, and nothing is said about them. */
export function mayBePackageManager(
  args: readonly string[],
  workingDirectory: string,
  realPath: (file: string) => string,
): boolean {
  const [first = ''] = args;
  if (TITLE.test(first)) return true;
  return args.slice(1).some((arg) => isPackageManager(path.resolve(workingDirectory, arg), realPath));
}

import process from 'node:process';

import { brokenPackageOf } from '../program/broken-package.js';
import { lookForUnwatched } from '../inspect/program/look-for-unwatched.js';
import { runProgram } from '../program/child.js';
import { nodeOptionsOfEnvFiles } from '../program/env-file.js';
import { PRELOAD, programEnvironment } from '../program/environment.js';
import type { Outcome } from '../program/outcome.js';
import { preloadPermission } from '../program/permissions.js';
import { undecodedArgument } from '../program/undecoded.js';
import type { Store } from '../store/store.js';

export interface StartOptions {
  readonly store: Store;
  readonly say: (line: string) => void;
  /** Of processes that are not watched, the arguments are recorded, too. */
  readonly withArguments: boolean;
  /** Gets what sends the program a signal. */
  readonly onStart?: (kill: (signal: NodeJS.Signals) => void) => void;
}

/** Starts the program with the preload, and resolves when it has ended. Processes that were not watched go to the store. */
export async function startProgram(
  command: readonly string[],
  directory: string,
  { store, say, withArguments, onStart }: StartOptions,
): Promise<Outcome> {
  const undecoded = undecodedArgument(command);
  if (undecoded !== undefined) say(undecoded);
  const permission = preloadPermission(PRELOAD, command, process.env, process.cwd());
  if (permission) say(permission.remedy);
  if (permission?.endsProgram) return runProgram(command, process.env, onStart);
  const broken = permission?.mayRead === false ? undefined : brokenPackageOf(process.cwd());
  if (broken !== undefined) {
    say(
      `Node.js cannot read ${broken}, and would not start with Loopwatch: the program is not watched. Mend that file.`,
    );
    return runProgram(command, process.env, onStart);
  }
  const endLook = lookForUnwatched({ preload: PRELOAD, directory, withArguments });
  try {
    const fileOptions = nodeOptionsOfEnvFiles(command, process.cwd());
    return await runProgram(command, programEnvironment(process.env, directory, fileOptions), onStart);
  } finally {
    store.unwatched.push(...endLook());
  }
}

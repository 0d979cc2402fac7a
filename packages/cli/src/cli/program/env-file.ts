import path from 'node:path';
// By its name: all of the module would load what its getters load, for 1.5 ms. Before 20.12, it is undefined.
import { parseEnv } from 'node:util';

import { readUserFile } from '../files/regular-file.js';

const ENV_FILE = /^--env-file(?:-if-exists)?(?:=(.*))?$/;
/** Other options of Node.js whose value may be the next argument. */
const WITH_VALUE = /^(?:-r|--require|--import|--loader|--experimental-loader|-C|--conditions)$/;

/**
 * The `NODE_OPTIONS` in the files that `node --env-file` names; an empty text without any. Node.js ignores them as soon as
 * the environment has that variable, so what `loopwatch run` puts there has to include them.
 */
export function nodeOptionsOfEnvFiles(command: readonly string[], directory: string): string {
  return envFiles(command)
    .map((file) => readNodeOptions(path.resolve(directory, file)))
    .reduce<string>((before, options) => options ?? before, '');
}

/** In the order in which the command names them: the last file with a variable has precedence. */
function envFiles([program = '', ...args]: readonly string[]): string[] {
  if (!/^node(\.exe)?$/.test(path.basename(program))) return [];
  const files: string[] = [];
  for (let i = 0; args[i]?.startsWith('-') && args[i] !== '--'; i++) {
    const arg = args[i]!;
    const envFile = ENV_FILE.exec(arg);
    if (envFile) files.push(envFile[1] ?? args[++i] ?? '');
    else if (WITH_VALUE.test(arg)) i++;
  }
  return files;
}

function readNodeOptions(file: string): string | undefined {
  try {
    return parseEnv(readUserFile(file))['NODE_OPTIONS'];
  } catch {
    // Node.js itself says what is wrong with the file, and reads a pipe, which ours would empty. Before 20.12, it has no
    // `parseEnv`.
    return undefined;
  }
}

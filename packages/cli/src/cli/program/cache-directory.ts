import { mkdirSync, statSync } from 'node:fs';

/** Write permission of the group and of all others. */
const WRITABLE_BY_OTHERS = 0o022;

/**
 * Where Node.js keeps what it has compiled of Loopwatch, below the directory of the user's caches; undefined where there is
 * none that is the user's alone. What is read from there is executed, so it is not the temporary directory of all users,
 * which Node.js takes by itself, and with `sudo` not the home of the user who has called it.
 */
export function cacheDirectory(platform: NodeJS.Platform, env: NodeJS.ProcessEnv): string | undefined {
  const caches = userCaches(platform, env);
  if (caches === undefined) return undefined;
  const directory = `${caches}/loopwatch`;
  try {
    create(caches);
    create(directory);
    const { uid, mode } = statSync(directory);
    const isOwn = platform === 'win32' || (uid === process.geteuid?.() && (mode & WRITABLE_BY_OTHERS) === 0);
    return isOwn ? directory : undefined;
  } catch {
    return undefined; // no such disk, or none that can be written
  }
}

/** Not `recursive`: where the system says ENOENT of a directory that is there, as below `/proc`, Node.js tries for ever. */
function create(directory: string): void {
  try {
    mkdirSync(directory, { mode: 0o700 });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}

function userCaches(platform: NodeJS.Platform, env: NodeJS.ProcessEnv): string | undefined {
  if (platform === 'win32') return absolute(env.LOCALAPPDATA);
  const home = absolute(env.HOME);
  if (platform === 'darwin') return home && `${home}/Library/Caches`;
  return absolute(env.XDG_CACHE_HOME) ?? (home && `${home}/.cache`);
}

/** A relative path would lead into the project, whose files others may have written. */
function absolute(directory: string | undefined): string | undefined {
  return directory !== undefined && /^(\/|[a-z]:[\\/])/i.test(directory) ? directory : undefined;
}

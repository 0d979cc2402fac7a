import { spawnSync } from 'node:child_process';
import process from 'node:process';

/** The list of all processes of a busy machine has some megabytes. */
const MAX_OUTPUT_BYTES = 32 * 1024 * 1024;
const TIMEOUT_MS = 10_000;

/**
 * What a program of the system prints, without a shell; undefined where there is none, it takes too long or prints too
 * much. An exit code other than 0 counts for nothing: `lsof` has one where it has found no file.
 */
export function output(file: string, args: readonly string[]): string | undefined {
  const { stdout, error } = spawnSync(file, args, {
    encoding: 'utf8',
    env: environment(process.env),
    maxBuffer: MAX_OUTPUT_BYTES,
    stdio: ['ignore', 'pipe', 'ignore'],
    timeout: TIMEOUT_MS,
    killSignal: 'SIGKILL',
    windowsHide: true,
  });
  return error === undefined ? stdout : undefined;
}

/** Dates and numbers as in the locale of C; names keep the letters of the user's. */
function environment({ LC_ALL, LANG, ...env }: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return { ...env, LANG: LC_ALL === '' ? LANG : (LC_ALL ?? LANG), LC_TIME: 'C', LC_NUMERIC: 'C', LC_MESSAGES: 'C' };
}

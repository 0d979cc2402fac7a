import type { ProcessInfo } from './platform.js';

/*
 * Parsers of the text that `ps` prints, of macOS and of Linux (procps). They take text only, so that tests need no process.
 */

/** Columns of `ps`, without titles: the last one has the rest of the line. `lstart` has five words. */
export const PS_COLUMNS = ['pid=', 'ppid=', 'uid=', 'state=', 'lstart=', 'time=', 'args='].flatMap((name) => [
  '-o',
  name,
]);
/** The name of the binary; on macOS its path, which may contain spaces. */
export const PS_NAMES = ['pid=', 'comm='].flatMap((name) => ['-o', name]);

/** Lines that are read: Linux has at most four million processes, and a text is bounded anyway. */
const MAX_LINES = 100_000;
const LINE =
  /^\s*(\d+)\s+(\d+)\s+(\d+)\s+([A-Za-z?])\S*\s+(\w{3} \w{3}\s+\d+ \d\d:\d\d:\d\d \d{4})\s+([\d:.-]+)(?: (.*))?$/;

/** Parses the output of `ps -o` with `PS_COLUMNS`. A line that is not of that form counts for nothing. */
export function parseProcesses(text: string, names: ReadonlyMap<number, string>, nowMs: number): ProcessInfo[] {
  return linesOf(text).flatMap((line) => {
    const [, pid, parentPid, userId, state = '', start = '', cpu = '', args = ''] = LINE.exec(line) ?? [];
    const startedMs = Date.parse(start);
    const cpuMs = parseCpuTime(cpu);
    if (pid === undefined || Number.isNaN(startedMs) || cpuMs === undefined) return [];
    const name = names.get(Number(pid)) ?? '';
    return {
      pid: Number(pid),
      parentPid: Number(parentPid),
      processId: Number(pid),
      innerPid: Number(pid),
      name,
      userId: Number(userId),
      executable: name.startsWith('/') ? name : '',
      args: args.trim() === '' ? [] : args.trim().split(/\s+/),
      state,
      cpuMs,
      startedMs,
      ageMs: Math.max(0, nowMs - startedMs),
      hasExecuted: true,
      catchesSigusr1: undefined,
    };
  });
}

/** Parses the output of `ps -o` with `PS_NAMES`. */
export function parseNames(text: string): ReadonlyMap<number, string> {
  return new Map(
    linesOf(text).flatMap((line) => {
      const [, pid, name = ''] = /^\s*(\d+) (.*)$/.exec(line) ?? [];
      return pid === undefined ? [] : [[Number(pid), name.trim()] as const];
    }),
  );
}

/** `[dd-]hh:mm:ss` of procps, `mm:ss.hh` of macOS, as ms. */
export function parseCpuTime(text: string): number | undefined {
  const [, days = '0', hours = '0', minutes, seconds] =
    /^(?:(\d+)-)?(?:(\d+):)?(\d+):(\d+(?:\.\d+)?)$/.exec(text) ?? [];
  if (minutes === undefined || seconds === undefined) return undefined;
  return Math.round((((Number(days) * 24 + Number(hours)) * 60 + Number(minutes)) * 60 + Number(seconds)) * 1000);
}

/** A variable that follows the command line. Its value may contain spaces: it lasts until the next word of this form. */
const VARIABLE = /^[A-Za-z_]\w*=/;

/** The variables of a process, by `ps` with the environment behind the command line. `args`: the words of that line. */
export function parseEnvironment(text: string, args: readonly string[]): string[] {
  const words = text.trim().split(/\s+/);
  const isCommand = args.every((word, index) => words[index] === word);
  const variables: string[] = [];
  for (const word of isCommand ? words.slice(args.length) : words) {
    if (VARIABLE.test(word)) variables.push(word);
    else if (variables.length > 0) variables.push(`${variables.pop()} ${word}`);
  }
  return variables;
}

function linesOf(text: string): string[] {
  return text.split('\n', MAX_LINES);
}

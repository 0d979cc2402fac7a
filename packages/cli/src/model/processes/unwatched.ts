import { plural, shortPath } from '../text/format.js';

/** Why a Node.js process of the program was not watched. */
export type UnwatchedReason =
  /** `NODE_OPTIONS` has another value, or none: `NODE_OPTIONS=--max-old-space-size=4096 next build`. */
  | 'node_options_replaced'
  /** The process was started without `NODE_OPTIONS`: with an environment of its own. */
  | 'node_options_removed'
  /** The same for the variable that names the channel. */
  | 'directory_removed'
  /** By an option, Node.js prints what any code of the process does: that of Loopwatch, too. */
  | 'shown_by_node'
  /** It runs as another user, who may not use the channel. */
  | 'other_user'
  /** It goes on after the end of the program, as a daemon does: it is not watched from then on. */
  | 'outlives_program';

export interface UnwatchedProcess {
  readonly pid: number;
  readonly command: string;
  readonly reason: UnwatchedReason;
  /** The option of `shown_by_node`. */
  readonly option?: string;
}

const MAX_COMMANDS = 3;
const MAX_COMMAND_LENGTH = 60;

/** One sentence for each reason: how many processes were not watched, why, which, and what to do. */
export function unwatchedSentences(processes: readonly UnwatchedProcess[], directory?: string): string[] {
  const byReason = new Map<string, UnwatchedProcess[]>();
  for (const process of processes) {
    const key = `${process.reason} ${process.option ?? ''}`;
    byReason.set(key, [...(byReason.get(key) ?? []), process]);
  }
  return [...byReason.values()].map((group) => sentenceOf(group, directory));
}

function sentenceOf(processes: readonly UnwatchedProcess[], directory: string | undefined): string {
  const isOne = processes.length === 1;
  const { reason, option = 'this option' } = processes[0]!;
  if (reason === 'outlives_program') return outlivingSentence(processes, directory);
  const were = isOne ? 'process was' : 'processes were';
  const commands = commandsText(processes, directory);
  const because = causeText(reason, option, isOne ? 'its' : 'their');
  return `${processes.length} Node.js ${were} not watched: ${because} (${commands}). ${remedyOf(reason, option)}`;
}

function outlivingSentence(processes: readonly UnwatchedProcess[], directory: string | undefined): string {
  const isOne = processes.length === 1;
  const go = isOne ? 'process goes on, and is' : 'processes go on, and are';
  const commands = commandsText(processes, directory);
  const pids = processes.slice(0, MAX_COMMANDS).map(({ pid }) => pid);
  const attach = `loopwatch attach ${isOne ? pids.join() : 'PID'}`;
  const which = isOne ? '' : ` (${pids.join(', ')}${processes.length > MAX_COMMANDS ? ', …' : ''})`;
  return `The program has ended; ${processes.length} Node.js ${go} no longer watched (${commands}). To watch ${isOne ? 'it' : 'one'}: ${attach}${which}`;
}

type ReasonOfStart = Exclude<UnwatchedReason, 'outlives_program'>;

function causeText(reason: ReasonOfStart, option: string, its: string): string {
  switch (reason) {
    case 'node_options_replaced':
      return `${its} NODE_OPTIONS was replaced`;
    case 'node_options_removed':
      return `${its} environment has no NODE_OPTIONS`;
    case 'directory_removed':
      return `${its} environment has no LOOPWATCH_RUN_DIRECTORY`;
    case 'other_user':
      return `${its} user is another one`;
    case 'shown_by_node':
      return `with ${option}, Node.js would print what Loopwatch does`;
  }
}

function remedyOf(reason: ReasonOfStart, option: string): string {
  switch (reason) {
    case 'node_options_replaced':
      return 'Where it is set, add to it instead: NODE_OPTIONS="$NODE_OPTIONS …"';
    case 'node_options_removed':
    case 'directory_removed':
      return 'Where the environment is made, pass on NODE_OPTIONS and LOOPWATCH_RUN_DIRECTORY.';
    case 'other_user':
      return 'Start loopwatch as that user.';
    case 'shown_by_node':
      return `Run it without ${option}.`;
  }
}

/** `node b.js`, `node a.js, node b.js, node c.js and 2 others`. */
function commandsText(processes: readonly UnwatchedProcess[], directory: string | undefined): string {
  const commands = [...new Set(processes.map(({ command }) => shortCommand(command, directory)))];
  const shown = commands.slice(0, MAX_COMMANDS).join(', ');
  const rest = commands.length - MAX_COMMANDS;
  return rest > 0 ? `${shown} and ${plural(rest, 'other')}` : shown;
}

/** `/usr/bin/node /app/node_modules/next/dist/bin/next build` as `node next/dist/bin/next build`. */
function shortCommand(command: string, directory: string | undefined): string {
  const [first = '', ...rest] = command.split(' ');
  const words = [first.replace(/^.*\//, ''), ...rest.map((word) => (isPath(word) ? shortPath(word, directory) : word))];
  const text = words.join(' ');
  return text.length > MAX_COMMAND_LENGTH ? `${text.slice(0, MAX_COMMAND_LENGTH - 1)}…` : text;
}

function isPath(word: string): boolean {
  return word.startsWith('/');
}

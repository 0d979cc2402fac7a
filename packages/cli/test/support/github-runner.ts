/** A command in the output of a step. */
export interface RunnerCommand {
  readonly command: string;
  readonly properties: Readonly<Record<string, string>>;
  readonly data: string;
}

/** Those that act on what the user sees; the runner ignores names that it does not know. */
const KNOWN = new Set(['error', 'warning', 'notice', 'debug', 'add-mask', 'group', 'endgroup', 'stop-commands']);

/**
 * Reads a line as the runner of GitHub Actions does (`ActionCommand.TryParseV2` of actions/runner): `::` after leading
 * blanks, up to the next `::`; properties divided by commas, each at its first `=`; then the escapes.
 */
export function parseCommand(line: string): RunnerCommand | undefined {
  const message = line.trimStart();
  const end = message.startsWith('::') ? message.indexOf('::', 2) : -1;
  if (end < 0) return undefined;
  const [command = '', ...rest] = message.slice(2, end).split(' ');
  if (!KNOWN.has(command)) return undefined;
  const pairs = rest
    .join(' ')
    .split(',')
    .flatMap((text) => {
      const at = text.indexOf('=');
      return at > 0 && at < text.length - 1 ? [[text.slice(0, at).trim(), unescaped(text.slice(at + 1))] as const] : [];
    });
  return { command, properties: Object.fromEntries(pairs), data: unescaped(message.slice(end + 2)) };
}

/** The older form, which the runner also takes in the middle of a line (`ActionCommand.TryParse`). */
function parseOldCommand(line: string): string | undefined {
  const [, command] = /##\[([\w-]+)[^\]]*\]/.exec(line) ?? [];
  return command !== undefined && KNOWN.has(command) ? command : undefined;
}

/** The names of the commands that the runner takes of the lines, as `ActionCommandManager` does. */
export function takenCommands(lines: readonly string[]): string[] {
  const taken: string[] = [];
  let token: string | undefined;
  for (const line of lines) {
    if (token !== undefined) {
      if (line.trim() === `::${token}::`) token = undefined;
      continue;
    }
    const command = parseCommand(line);
    if (command?.command === 'stop-commands') token = command.data;
    else if (command) taken.push(command.command);
    else taken.push(...[parseOldCommand(line) ?? []].flat());
  }
  return taken;
}

function unescaped(text: string): string {
  return text
    .replaceAll('%0D', '\r')
    .replaceAll('%0A', '\n')
    .replaceAll('%3A', ':')
    .replaceAll('%2C', ',')
    .replaceAll('%25', '%');
}

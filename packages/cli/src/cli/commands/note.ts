import type { Command } from 'commander';

/** Width where the output is no terminal, as Commander takes it for the options. */
const DEFAULT_WIDTH = 80;

/** Adds paragraphs behind the options of the help, as wide as these. */
export function addNote(command: Command, ...paragraphs: readonly string[]): Command {
  return command.addHelpText('after', () => {
    const width = command.configureOutput().getOutHelpWidth?.() ?? DEFAULT_WIDTH;
    const help = command.createHelp();
    return paragraphs.map((paragraph) => `\n${help.boxWrap(paragraph, width)}`).join('\n');
  });
}

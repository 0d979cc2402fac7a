import type { Command } from 'commander';

import { parseText, parseThreshold } from './options.js';

/** What `run` and `attach` record, and where they write it. */
export function addRecordingOptions(command: Command): Command {
  return command
    .option('-t, --threshold <ms>', 'report a block when the loop is busy for longer', parseThreshold, 100)
    .option('--with-arguments', 'also record the arguments of the program, which may be secrets')
    .option('--report <file>', 'write an HTML report to this file', parseText)
    .option('--json <file>', 'write all data as JSON to this file', parseText)
    .option('--speedscope <file>', 'write a profile of the blocked time for speedscope.app to this file', parseText)
    .option('--pprof <file>', 'write a profile of the blocked time for pprof to this file', parseText)
    .option('--junit <file>', 'write JUnit XML to this file: blocks above --fail-on are failures', parseText)
    .option('--gitlab <file>', 'write a code quality report for GitLab to this file', parseText);
}

/** How `run` and `attach` end, and what they print. */
export function addOutcomeOptions(command: Command): Command {
  command
    .option(
      '--fail-on <ms>',
      'exit with code 3 if a block lasts longer; lowers the threshold to this value if it is higher',
      parseThreshold,
    )
    .option('-q, --quiet', 'do not print blocks and the summary')
    .option('--no-color', 'print without colours (NO_COLOR does the same)');
  return addOpenOption(command);
}

/** Opens the file of `--report`: without one it would do nothing, and say nothing. */
export function addOpenOption(command: Command): Command {
  return command.option('--open', 'open the report of --report in the browser').hook('preAction', () => {
    const { open, report } = command.opts<{ readonly open?: true; readonly report?: string }>();
    if (open && report === undefined) {
      command.error(
        'error: Expected --report <file> with --open, found --open alone. Give both: --report blocks.html --open',
      );
    }
  });
}

import { Command, Option } from 'commander';

import type { DumpCommandOptions } from './dump.js';
import { parseInspectorUrl, parsePid, parseTimerDuration } from './options.js';
import { addNote } from './note.js';
import { addOutcomeOptions, addRecordingOptions } from './recording-options.js';
import type { PsOptions } from './ps.js';
import type { AttachCommandOptions } from './watch-processes.js';

const DEFAULT_TIMEOUT_MS = 5000;

/* The commands for processes that already run. */

export function psCommand(): Command {
  const command = new Command('ps')
    .description("List this user's Node.js processes.")
    .helpOption('-h, --help', 'print this help')
    .option('--json', 'print JSON')
    .option('--no-color', 'print without colours (NO_COLOR does the same)')
    .action(async (options: PsOptions) => {
      const { ps } = await import('./ps.js');
      ps(options);
    });
  return addNote(command, ...PS_NOTE);
}

const PS_NOTE = [
  'WATCHED: Loopwatch is in the command line, in the environment or, on Linux, among the threads or the open files of ' +
    'the process. Windows shows no environment: there, only the command line can say it.',
  'COMMAND is cut at the width of the terminal, elsewhere at 400 columns or those of COLUMNS; --json has all of it.',
];

export function dumpCommand(): Command {
  const command = new Command('dump')
    .description('Show where every thread of a running Node.js process is, also in an endless loop.')
    .argument('<pid>', 'id of the process, from: loopwatch ps', parsePid)
    .helpOption('-h, --help', 'print this help')
    .option('--all', 'also show the Node.js processes below it, such as cluster workers')
    .option('--json', 'print JSON, with whole stacks; with --all, an array')
    .addOption(timeoutOption())
    .option('--no-color', 'print without colours (NO_COLOR does the same)')
    .action(async (pid: number, options: DumpCommandOptions) => {
      const { dump } = await import('./dump.js');
      await dump(pid, options);
    });
  return addNote(command, DUMP_NOTE, DUMP_PLATFORMS);
}

const DUMP_NOTE =
  'The process needs no preparation. SIGUSR1 opens its inspector on 127.0.0.1 for about a second; meanwhile every user ' +
  'of this machine can reach it. The process writes Node.js\'s own lines about that to its stderr ("Debugger listening ' +
  'on ..."). A program with a listener of its own for SIGUSR1 gets the signal. See docs/attach.md.';

const DUMP_PLATFORMS =
  'macOS and Windows do not show the CPU time of a thread, whether it sleeps, and what it reads: there, a synchronous ' +
  'read of the main thread is disturbed by the signal, and a process younger than 3 s is refused.';

export function attachCommand(version: string): Command {
  const command = new Command('attach')
    .description(
      'Report what blocks the event loop of a process that already runs, and leave it as it was. Linux only.',
    )
    .usage('[options] <pid>')
    .argument('[pid]', 'id of the process, from: loopwatch ps', parsePid)
    .helpOption('-h, --help', 'print this help')
    .option('--all', 'also watch the Node.js processes below it, such as cluster workers, and those that start later')
    .option('--for <time>', 'stop after this time, such as 60s or 5m', parseTimerDuration)
    .option('--inspect <url>', 'through an inspector that is open already, instead of a pid', parseInspectorUrl)
    .addOption(timeoutOption());
  return addNote(addOutcomeOptions(addRecordingOptions(command)), DUMP_NOTE).action(
    async (pid: number | undefined, options: Omit<AttachCommandOptions, 'version'>) => {
      const { attach } = await import('./attach.js');
      await attach(pid, { ...options, version });
    },
  );
}

function timeoutOption(): Option {
  return new Option('--timeout <time>', 'how long the process may take to answer, such as 10s or 1m')
    .argParser(parseTimerDuration)
    .default(DEFAULT_TIMEOUT_MS, '5s');
}

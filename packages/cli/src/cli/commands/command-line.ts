import { Command, Option } from 'commander';

import { parseDuration, parsePort, parseUrl } from './options.js';
import { addOutcomeOptions, addRecordingOptions } from './recording-options.js';
import type { RunOptions } from './run.js';
import { runningProcessCommands } from './running-processes.js';
import type { ServeOptions } from './serve.js';

const DEFAULT_RETENTION_MS = 3_600_000;

/** The command line. A command's code is imported only when that command runs: `--help` does not wait for it. */
export function createProgram(version: string): Command {
  const program = new Command('loopwatch')
    .description('Shows which line blocks the event loop of a Node.js program, for how long, and why.')
    .version(version, '--version', 'print the version')
    .helpOption('-h, --help', 'print this help')
    .showHelpAfterError('Run it with --help to see the options.')
    .enablePositionalOptions();
  program.addCommand(runCommand(version));
  program.addCommand(serveCommand(version));
  for (const command of runningProcessCommands(version)) program.addCommand(command);
  return program;
}

function runCommand(version: string): Command {
  const command = new Command('run')
    .description('Run a program and report what blocks its event loop. Loopwatch prints to stderr only.')
    .usage('[options] -- <command> [arguments]')
    .argument('<command...>', 'the program and its arguments')
    .passThroughOptions()
    .helpOption('-h, --help', 'print this help');
  addRecordingOptions(command).option('--startup', 'count and name what start-up does, too');
  return addOutcomeOptions(command)
    .addHelpText('after', RUN_EXAMPLES)
    .action(async (command: string[], options: Omit<RunOptions, 'version'>) => {
      const { run } = await import('./run.js');
      await run(command, { ...options, version });
    });
}

const RUN_EXAMPLES = `
Examples:
  loopwatch run -- node app.js
  loopwatch run --report blocks.html -- npm start
  loopwatch run --fail-on 250 -- npm test`;

function serveCommand(version: string): Command {
  return new Command('serve')
    .description('Receive OTLP/HTTP from any OpenTelemetry app and show its event loop blocks live.')
    .helpOption('-h, --help', 'print this help')
    .option('-p, --port <port>', 'port to listen on; 0 selects a free port', parsePort, 4318)
    .option('--host <address>', 'address to listen on', '127.0.0.1')
    .option('--print', 'print each block and, at the end, a summary')
    .addOption(
      new Option('--retention <time>', 'how long data stays in memory, such as 30m or 2h')
        .argParser(parseDuration)
        .default(DEFAULT_RETENTION_MS, '1h'),
    )
    .option('--keep <file>', 'also store blocks and lag in this SQLite file')
    .option('--jaeger <url>', 'Jaeger UI for links to traces, such as http://localhost:16686', parseUrl)
    .option('--open', 'open the page in the browser')
    .option('--no-color', 'print without colours (NO_COLOR does the same)')
    .action(
      async ({ retention, ...options }: Omit<ServeOptions, 'retentionMs' | 'version'> & { retention: number }) => {
        const { serve } = await import('./serve.js');
        await serve({ ...options, version, retentionMs: retention });
      },
    );
}

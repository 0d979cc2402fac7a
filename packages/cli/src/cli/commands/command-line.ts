import { Command, Option } from 'commander';

import { parseDuration, parseMs, parsePort, parseThreshold, parseUrl } from './options.js';
import type { RunOptions } from './run.js';
import type { ServeOptions } from './serve.js';

const DEFAULT_RETENTION_MS = 3_600_000;

/** The command line. What a command needs is loaded only when it runs, so that `--help` is there at once. */
export function createProgram(version: string): Command {
  const program = new Command('loopwatch')
    .description('Shows which line blocks the event loop of a Node.js program, for how long, and why.')
    .version(version, '--version', 'print the version')
    .helpOption('-h, --help', 'print this help')
    .showHelpAfterError('Run it with --help to see the options.')
    .enablePositionalOptions();
  program.addCommand(runCommand(version));
  program.addCommand(serveCommand(version));
  return program;
}

function runCommand(version: string): Command {
  return new Command('run')
    .description('Run a program and show what blocks its event loop. All output of Loopwatch goes to stderr.')
    .usage('[options] -- <command> [arguments]')
    .argument('<command...>', 'the program and its arguments')
    .passThroughOptions()
    .helpOption('-h, --help', 'print this help')
    .option('-t, --threshold <ms>', 'how long the loop must be busy to count as blocked', parseThreshold, 100)
    .option('--report <file>', 'write an HTML report to this file')
    .option('--json <file>', 'write everything as JSON to this file')
    .option('--speedscope <file>', 'write the blocked time as a profile for speedscope.app to this file')
    .option('--fail-on <ms>', 'exit with code 3 if anything blocked for longer', parseMs)
    .option('-q, --quiet', 'do not print blocks and summary')
    .option('--no-color', 'print without colours (NO_COLOR does the same)')
    .option('--open', 'open the report in the browser')
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
    .description('Receive OTLP/HTTP from any OpenTelemetry app and show its event loop live.')
    .helpOption('-h, --help', 'print this help')
    .option('-p, --port <port>', 'port to listen on; 0: any free one', parsePort, 4318)
    .option('--host <address>', 'address to listen on', '127.0.0.1')
    .option('--print', 'print each block as a line, and a summary at the end')
    .addOption(
      new Option('--retention <time>', 'how long data is kept in memory, such as 30m or 2h')
        .argParser(parseDuration)
        .default(DEFAULT_RETENTION_MS, '1h'),
    )
    .option('--keep <file>', 'keep blocks and lag in this SQLite file too')
    .option('--jaeger <url>', 'Jaeger UI that traces link to, such as http://localhost:16686', parseUrl)
    .option('--open', 'open the page in the browser')
    .option('--no-color', 'print without colours (NO_COLOR does the same)')
    .action(
      async ({ retention, ...options }: Omit<ServeOptions, 'retentionMs' | 'version'> & { retention: number }) => {
        const { serve } = await import('./serve.js');
        await serve({ ...options, version, retentionMs: retention });
      },
    );
}

import { Command, Option } from 'commander';

import { parseDuration, parsePort, parseUrl } from './options.js';
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
  program.addCommand(serveCommand(version));
  return program;
}

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
    .action(async ({ retention, ...options }: Omit<ServeOptions, 'retentionMs' | 'version'> & { retention: number }) => {
      const { serve } = await import('./serve.js');
      await serve({ ...options, version, retentionMs: retention });
    });
}

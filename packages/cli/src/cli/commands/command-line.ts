import { Command, Option } from 'commander';

import type { CompareOptions } from './compare.js';
import type { DoctorOptions } from './doctor.js';
import {
  parseDuration,
  parseKillAfter,
  parseMs,
  parsePid,
  parsePort,
  parseText,
  parseTexts,
  parseUrl,
} from './options.js';
import type { McpOptions } from './mcp.js';
import { addNote } from './note.js';
import { addOpenOption, addOutcomeOptions, addRecordingOptions } from './recording-options.js';
import type { RunOptions } from './run.js';
import { attachCommand, dumpCommand, psCommand } from './running-processes.js';
import type { ServeOptions } from './serve.js';

const DEFAULT_RETENTION_MS = 3_600_000;

/**
 * The command line. A command's code is imported only when that command runs: `--help` does not wait for it. `called`: the
 * first argument. Where it is a command, the others are not declared, which would take as long as the rest of the start.
 */
export function createProgram(version: string, called?: string): Command {
  const program = new Command('loopwatch')
    .description('Shows which line blocks the event loop of a Node.js program, for how long, and why.')
    .version(version, '--version', 'print the version')
    .helpOption('-h, --help', 'print this help')
    .showHelpAfterError('Run it with --help to see the options.')
    .enablePositionalOptions();
  const only = called === undefined ? undefined : COMMANDS.get(called);
  for (const create of only ? [only] : COMMANDS.values()) {
    program.addCommand(create(version).copyInheritedSettings(program));
  }
  return program;
}

const COMMANDS: ReadonlyMap<string, (version: string) => Command> = new Map([
  ['run', runCommand],
  ['serve', serveCommand],
  ['doctor', doctorCommand],
  ['ps', psCommand],
  ['dump', dumpCommand],
  ['attach', attachCommand],
  ['compare', compareCommand],
  ['mcp', mcpCommand],
]);

function runCommand(version: string): Command {
  const command = new Command('run')
    .description('Run a program and report what blocks its event loop. Loopwatch prints to stderr only.')
    .usage('[options] -- <command> [arguments]')
    .argument('<command...>', 'the program and its arguments')
    .passThroughOptions()
    .helpOption('-h, --help', 'print this help');
  addRecordingOptions(command)
    .option('--startup', 'count and name what start-up does, too')
    .option('--kill-after <s>', 'end a program that is blocked for so long, with a dump and code 124', parseKillAfter);
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
    .option('--host <address>', 'address to listen on; beyond loopback, the page wants a token', parseText, '127.0.0.1')
    .option('--print', 'print each block and, at the end, a summary')
    .addOption(
      new Option('--retention <time>', 'how long data stays in memory, such as 30m or 2h')
        .argParser(parseDuration)
        .default(DEFAULT_RETENTION_MS, '1h'),
    )
    .option('--keep <file>', 'also store blocks and lag in this SQLite file', parseText)
    .option(
      '--source <directory>',
      'show source below this directory; can be repeated (default: where it was started; none beyond loopback)',
      parseTexts,
    )
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

function doctorCommand(version: string): Command {
  const command = new Command('doctor')
    .description(
      'Find out why nothing is reported: packages, settings, permissions, exporter. Each finding has a remedy.',
    )
    .argument('[pid]', 'a running process instead of this directory and environment; nothing is sent to it', parsePid)
    .helpOption('-h, --help', 'print this help')
    .option('--json', 'print JSON')
    .option('--no-color', 'print without colours (NO_COLOR does the same)')
    .action(async (pid: number | undefined, options: DoctorOptions) => {
      const { doctor } = await import('./doctor.js');
      await doctor(pid, version, options);
    });
  return addNote(command, ...DOCTOR_NOTE);
}

const DOCTOR_NOTE = [
  'Sends one empty OTLP request to the receiver that the environment names. The exit code is 0 without findings, else 1. ' +
    'The output shows no headers and no passwords, so that it can be part of a bug report.',
];

function compareCommand(version: string): Command {
  const command = new Command('compare')
    .description('Compare the recordings of two builds: what is new, gone, worse or better. For pull requests.')
    .usage('[options] <base.json...> --with <head.json...>')
    .argument('<base.json...>', 'recordings of the old build, from: loopwatch run --json')
    .requiredOption('--with <head.json...>', 'recordings of the new build', parseTexts)
    .helpOption('-h, --help', 'print this help')
    .option('--fail-on-new <ms>', 'exit with code 3 if a new culprit blocks longer', parseMs)
    .option('--report <file>', 'write an HTML report with a flame graph of the change to this file', parseText)
    .option('--markdown <file>', 'write the comparison as Markdown to this file, for a comment', parseText)
    .option('--json <file>', 'write the comparison as JSON to this file', parseText)
    .option('--pprof <file>', 'write the difference of the blocked time to this file, for pprof', parseText)
    .option('--junit <file>', 'write JUnit XML to this file: what --fail-on-new counts is a failure', parseText)
    .option('--gitlab <file>', 'write new and worse culprits as a code quality report for GitLab', parseText)
    .option('--no-color', 'print without colours (NO_COLOR does the same)');
  return addNote(addOpenOption(command), ...COMPARE_NOTE)
    .addHelpText('after', COMPARE_EXAMPLES)
    .action(async (base: string[], options: Omit<CompareOptions, 'version'>) => {
      const { compare } = await import('./compare.js');
      await compare(base, { ...options, version });
    });
}

const COMPARE_NOTE = [
  'Runs differ by chance. With 3 runs of each build or more, a culprit is new, gone, worse or better only where chance ' +
    'explains the difference with a probability of at most 5 %, over all culprits together; 5 runs see smaller ' +
    'differences. See docs/compare.md.',
];

const COMPARE_EXAMPLES = `
Examples:
  loopwatch compare base.json --with head.json --report change.html
  loopwatch compare base-*.json --with head-*.json --fail-on-new 200`;

function mcpCommand(version: string): Command {
  const command = new Command('mcp')
    .description('Serve findings to a coding agent by the Model Context Protocol, on stdin and stdout.')
    .helpOption('-h, --help', 'print this help')
    .option('--directory <directory>', 'the project (default: where it was started)', parseText)
    .option('--allow <directory>', 'also use files below this directory; can be repeated', parseTexts)
    .action(async (options: Omit<McpOptions, 'version'>) => {
      const { mcp } = await import('./mcp.js');
      await mcp({ ...options, version });
    });
  return addNote(command, ...MCP_NOTE);
}

const MCP_NOTE = [
  'Tools: list_culprits, explain_culprit, dump_process, record, verify_fix. They use files below the project and below ' +
    '--allow only. One of them executes something: record, the command that it is given.',
  'How to set up Claude Code, Claude Desktop, Cursor and VS Code: docs/mcp.md.',
];

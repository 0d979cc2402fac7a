import { parseArgs } from 'node:util';

import { z } from 'zod';

import { parseOptions } from '../shared/parse-options.js';
import { DEFAULT_TRAFFIC } from '../traffic/plan.js';

const DEFAULT_DURATION_SECONDS = 30;

export const LAUNCH_USAGE = `Usage: npm start -- [options]

Runs the demo service under Loopwatch with traffic. Prints each block of its event loop as it happens, and a summary by
culprit at the end.

Options
  --duration SECONDS   how long (default: until Ctrl-C in a terminal, otherwise ${DEFAULT_DURATION_SECONDS}; 0: until Ctrl-C)
  --seed NUMBER        seed of the traffic; the same seed sends the same requests (default ${DEFAULT_TRAFFIC.seed})
  --fixed              send the same traffic to the fixed variants, which do not block
  --release 2          deploy a second release after half of the time, which has a new culprit
  --workers            run the scenarios of worker threads too: exports in a pool, rebalances that leak a thread
  --help               show this help

Environment
  PORT                          port of the service (default: any free port)
  OTEL_EXPORTER_OTLP_ENDPOINT   send spans and metrics to this endpoint; then no block is printed here
  The service gets all other OTEL_* and LOOPWATCH_* variables unchanged.`;

export interface LaunchArguments {
  /** 0: until interrupted. */
  readonly durationSeconds: number;
  readonly seed: number;
  readonly fixed: boolean;
  readonly workers: boolean;
  /** The last release to deploy. */
  readonly release: 1 | 2;
}

const argumentsSchema = z.object({
  duration: z.coerce.number().min(0),
  seed: z.coerce.number().int().default(DEFAULT_TRAFFIC.seed),
  fixed: z.boolean().default(false),
  workers: z.boolean().default(false),
  release: z
    .enum(['1', '2'])
    .default('1')
    .transform((release) => (release === '2' ? 2 : 1)),
});

/** Reads the command line; throws an error that names each invalid option. */
export function parseLaunchArguments(commandLine: readonly string[], isTerminal: boolean): LaunchArguments | 'help' {
  const { values } = parseArgs({
    args: [...commandLine],
    options: {
      duration: { type: 'string' },
      seed: { type: 'string' },
      fixed: { type: 'boolean' },
      workers: { type: 'boolean' },
      release: { type: 'string' },
      help: { type: 'boolean' },
    },
  });
  if (values.help === true) return 'help';
  const given = { ...values, duration: values.duration ?? (isTerminal ? 0 : DEFAULT_DURATION_SECONDS) };
  const options = parseOptions(argumentsSchema, given);
  const { duration: durationSeconds, seed, ...flags } = options;
  return { durationSeconds, seed, ...flags };
}

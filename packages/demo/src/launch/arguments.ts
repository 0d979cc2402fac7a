import { parseArgs } from 'node:util';

import { z } from 'zod';

import { parseOptions } from '../shared/parse-options.js';
import { DEFAULT_TRAFFIC } from '../traffic/plan.js';

const DEFAULT_DURATION_SECONDS = 30;

export const LAUNCH_USAGE = `Usage: npm start -- [options]

Runs the demo service under Loopwatch with traffic, shows each block of its event loop as it happens, and a summary by
culprit at the end.

Options
  --duration SECONDS   how long (default: until Ctrl-C in a terminal, otherwise ${DEFAULT_DURATION_SECONDS}; 0: until Ctrl-C)
  --seed NUMBER        which of the traffic plans (default ${DEFAULT_TRAFFIC.seed})
  --fixed              send the same traffic to the fixed twins, which do not block
  --workers            tell the stories of worker threads too: exports in a pool, and rebalances that leave a thread behind
  --help               show this

Environment
  PORT                          port of the service (default: any free one)
  OTEL_EXPORTER_OTLP_ENDPOINT   send everything there instead of to a receiver of our own; blocks are then seen there
  All other OTEL_* and LOOPWATCH_* variables reach the service unchanged.`;

export interface LaunchArguments {
  /** 0: until interrupted. */
  readonly durationSeconds: number;
  readonly seed: number;
  readonly fixed: boolean;
  readonly workers: boolean;
}

const argumentsSchema = z.object({
  duration: z.coerce.number().min(0),
  seed: z.coerce.number().int().default(DEFAULT_TRAFFIC.seed),
  fixed: z.boolean().default(false),
  workers: z.boolean().default(false),
});

/** Reads the command line; throws an error that names what is wrong with it. */
export function parseLaunchArguments(commandLine: readonly string[], isTerminal: boolean): LaunchArguments | 'help' {
  const { values } = parseArgs({
    args: [...commandLine],
    options: {
      duration: { type: 'string' },
      seed: { type: 'string' },
      fixed: { type: 'boolean' },
      workers: { type: 'boolean' },
      help: { type: 'boolean' },
    },
  });
  if (values.help === true) return 'help';
  const given = { ...values, duration: values.duration ?? (isTerminal ? 0 : DEFAULT_DURATION_SECONDS) };
  const options = parseOptions(argumentsSchema, given);
  const { duration: durationSeconds, seed, ...flags } = options;
  return { durationSeconds, seed, ...flags };
}

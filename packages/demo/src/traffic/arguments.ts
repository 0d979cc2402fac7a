import { parseArgs } from 'node:util';

import { z } from 'zod';

import { parseOptions } from '../shared/parse-options.js';
import { DEFAULT_TRAFFIC, type TrafficOptions } from './plan.js';

export const TRAFFIC_USAGE = `Usage: node dist/traffic.mjs [options]

Sends requests to a running demo service: quick requests all the time, and every few seconds one that blocks it.

Options
  --url URL            address of the service (default http://127.0.0.1:8080; environment: DEMO_URL)
  --duration SECONDS   how long to run (default 30; environment: DEMO_DURATION_SECONDS; 0: until SIGINT or SIGTERM)
  --seed NUMBER        seed of the traffic; the same seed sends the same requests (default ${DEFAULT_TRAFFIC.seed})
  --fixed              request the fixed variants, which do not block
  --workers            run the scenarios of worker threads too: exports in a pool, rebalances that leak a thread
  --help               show this help`;

export interface TrafficArguments extends TrafficOptions {
  readonly baseUrl: string;
  readonly durationMs: number;
}

const argumentsSchema = z.object({
  url: z.url({ protocol: /^https?$/ }).default('http://127.0.0.1:8080'),
  duration: z.coerce.number().min(0).default(30),
  seed: z.coerce.number().int().default(DEFAULT_TRAFFIC.seed),
  fixed: z.boolean().default(false),
  workers: z.boolean().default(false),
});

/** Reads the command line; throws an error that names each invalid option. */
export function parseTrafficArguments(
  commandLine: readonly string[],
  environment: NodeJS.ProcessEnv,
): TrafficArguments | 'help' {
  const { values } = parseArgs({
    args: [...commandLine],
    options: {
      url: { type: 'string' },
      duration: { type: 'string' },
      seed: { type: 'string' },
      fixed: { type: 'boolean' },
      workers: { type: 'boolean' },
      help: { type: 'boolean' },
    },
  });
  if (values.help === true) return 'help';
  const given = {
    ...values,
    url: values.url ?? environment['DEMO_URL'],
    duration: values.duration ?? environment['DEMO_DURATION_SECONDS'],
  };
  const options = parseOptions(argumentsSchema, given);
  const result: TrafficArguments = {
    ...DEFAULT_TRAFFIC,
    baseUrl: options.url,
    durationMs: options.duration === 0 ? Infinity : options.duration * 1000,
    seed: options.seed,
    fixed: options.fixed,
    workers: options.workers,
  };
  return result;
}

import { createRequire } from 'node:module';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

import { parseExpectation, programsDirectory } from '../../corpus/expectation.ts';
import type { Expectation } from '../../corpus/expectation.ts';

const require = createRequire(import.meta.url);

/** A program whose busy periods are recorded. */
export interface Subject {
  /** Unique; part of the names of files. */
  readonly name: string;
  /** Where its source is: a folder that becomes a tree of programs. */
  readonly folder: string;
  readonly run: string;
  readonly args: readonly string[];
  readonly flags: readonly string[];
  readonly http: boolean;
  /** Start-up of the telemetry in every thread. */
  readonly threadsPreload?: string;
  readonly minimumNodeMajor: number;
  /** Nothing of it is a block. */
  readonly isSilent: boolean;
  /** What its source states; absent where the truth is measured alone. */
  readonly expectation?: Expectation;
}

const ownDirectory = path.resolve(import.meta.dirname, '../programs');
const fixturesDirectory = path.resolve(import.meta.dirname, '../../integration/fixtures');

/** All subjects, in a fixed order. */
export function subjects(): Subject[] {
  return [...stated('corpus', programsDirectory), ...stated('own', ownDirectory), ...fixtures()];
}

function stated(group: string, folder: string): Subject[] {
  return readdirSync(folder)
    .filter((name) => /\.[cm][jt]s$/.test(name) && name !== 'threads-preload.cjs')
    .sort()
    .map((program) => {
      const expectation = parseExpectation(program, readFileSync(path.join(folder, program), 'utf8'));
      const { run, flags, http, minimumNodeMajor, isSilent, inAllThreads } = expectation;
      const name = `${group}/${program}`;
      const threads = inAllThreads ? { threadsPreload: 'threads-preload.cjs' } : {};
      return { name, folder, run, args: [], flags, http, minimumNodeMajor, isSilent, expectation, ...threads };
    });
}

interface Fixture extends Partial<Pick<Subject, 'args' | 'flags' | 'http' | 'isSilent'>> {
  readonly run: string;
  readonly inAllThreads?: boolean;
}

/** Fixtures of the integration tests that need no test around them. */
function fixtures(): Subject[] {
  const quiet = ['start-up.cjs', 'start-up.mjs', 'cooperative.cjs', 'quick-callbacks.cjs', 'neighbour.cjs'];
  const all: Fixture[] = [
    ...[...quiet, 'sleeping-neighbour.cjs', 'idle.cjs'].map((rest) => ({ run: `quiet-${rest}`, isSilent: true })),
    { run: 'quiet-wasm.cjs', isSilent: true, flags: ['--no-wasm-lazy-compilation', '--no-liftoff'] },
    { run: 'two-kinds.cjs' },
    { run: 'two-culprits.cjs' },
    { run: 'two-contexts.cjs' },
    { run: 'native-calls.cjs' },
    { run: 'known-blocks.cjs', args: ['10'] },
    { run: 'concurrent-requests.cjs', http: true },
    { run: 'worker-together.cjs', args: ['spin', 'sleep', 'spin'], inAllThreads: true },
    { run: 'worker-together.cjs', args: ['idle', 'spin', 'sleep'], inAllThreads: true },
    ...['piscina', 'piscina-4'].flatMap((pool) =>
      ['idle', 'compute', 'upload'].map((scenario) => ({
        run: 'pool-scenarios.cjs',
        args: [require.resolve(pool), scenario],
        inAllThreads: true,
        isSilent: scenario === 'idle',
      })),
    ),
  ];
  return all.map(({ run, args = [], flags = [], http = false, isSilent = false, inAllThreads = false }) => ({
    name: `fixture/${[run, ...args.map(nameOfArgument)].join('+')}`,
    folder: fixturesDirectory,
    run,
    args,
    flags,
    http,
    minimumNodeMajor: 20,
    isSilent,
    ...(inAllThreads && { threadsPreload: 'worker-preload.cjs' }),
  }));
}

/** A path is one of this machine: of it, the package's name is kept. */
function nameOfArgument(argument: string): string {
  return /node_modules\/([\w-]+)\//.exec(argument.slice(argument.lastIndexOf('node_modules/')))?.[1] ?? argument;
}

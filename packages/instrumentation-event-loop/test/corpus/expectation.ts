import { existsSync, readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';

import type { BlockCause } from '../../src/types.ts';

/** What the header comment of a corpus program states about its block. */
export interface Expectation {
  /** File name of the program's source. */
  readonly program: string;
  /** One sentence about what the program does. */
  readonly summary: string;
  /** The file that Node.js runs: the source or its build output. */
  readonly run: string;
  /** Accepted function names; empty: any name. */
  readonly culprits: readonly string[];
  /** The culprit's file, relative to the programs. */
  readonly file: string;
  /** First and last line of the culprit, inclusive; absent: any line. */
  readonly lines?: readonly [number, number];
  /** Empty where the run measures it: see ../evidence. */
  readonly causes: readonly BlockCause[];
  /** Name of the span that is active in the block; `none`: no span; `any`: not checked. */
  readonly parent: string;
  /** Accepted types of the asynchronous resource; empty: not checked. */
  readonly resources: readonly string[];
  readonly flags: readonly string[];
  readonly http: boolean;
  /** Nothing of the program is a block. */
  readonly isSilent: boolean;
  /** Its worker threads have telemetry, too. */
  readonly inAllThreads: boolean;
  readonly minimumNodeMajor: number;
}

export const programsDirectory = path.join(import.meta.dirname, 'programs');

/** All programs, sorted by name. */
export function readCorpus(): Expectation[] {
  return readdirSync(programsDirectory)
    .filter((name) => /\.[cm][jt]s$/.test(name))
    .sort()
    .map((program) => parseExpectation(program, readFileSync(path.join(programsDirectory, program), 'utf8')));
}

export function parseExpectation(program: string, source: string): Expectation {
  const header = /\/\*\*([\s\S]*?)\*\//.exec(source)?.[1];
  if (header === undefined)
    throw new Error(`Expected ${program} to begin with a comment that states its expectation, got none.`);
  const lines = header.split('\n').map((line) => line.replace(/^\s*\* ?/, '').trim());
  const tags = new Map(
    lines
      .filter((line) => line.startsWith('@'))
      .map((line) => {
        const [tag, ...words] = line.slice(1).split(/\s+/);
        return [tag!, words] as const;
      }),
  );
  const words = (tag: string): readonly string[] => tags.get(tag) ?? [];
  const required = (tag: string): readonly string[] => {
    if (words(tag).length === 0) throw new Error(`Expected ${program} to have @${tag}, got none.`);
    return words(tag);
  };

  const file = words('file')[0] ?? program;
  const culpritLines = linesOfCulprit(file === program ? source : sourceOf(file));
  return {
    program,
    summary: lines.filter((line) => line !== '' && !line.startsWith('@')).join(' '),
    run: words('run')[0] ?? program.replace(/ts$/, 'js'),
    culprits: required('culprit').filter((name) => name !== '*'),
    file,
    ...(culpritLines && { lines: culpritLines }),
    causes: words('cause') as readonly BlockCause[],
    parent: required('parent')[0]!,
    resources: words('resource'),
    flags: words('flags'),
    http: tags.has('http'),
    isSilent: tags.has('silent'),
    inAllThreads: tags.has('threads'),
    minimumNodeMajor: Number(words('node')[0] ?? 20),
  };
}

/** Empty for a culprit in a build output, which has no source with marks. */
function sourceOf(file: string): string {
  const source = path.join(programsDirectory, file.replace(/^node_modules\//, 'packages/'));
  return existsSync(source) ? readFileSync(source, 'utf8') : '';
}

function linesOfCulprit(source: string): readonly [number, number] | undefined {
  const lines = source.split('\n');
  const first = lines.findIndex((line) => line.includes('<culprit>'));
  const last = lines.findIndex((line) => line.includes('</culprit>'));
  return first === -1 || last === -1 ? undefined : [first + 2, last];
}

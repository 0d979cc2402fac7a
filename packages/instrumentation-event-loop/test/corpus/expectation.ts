import { existsSync, readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';

import type { BlockCause } from '../../src/types.ts';

/** What a corpus program says of its own block, in the comment at its head. */
export interface Expectation {
  /** File name of the program's source. */
  readonly program: string;
  /** One sentence: what it does. */
  readonly summary: string;
  /** What Node runs: the source itself, or what it is built to. */
  readonly run: string;
  /** Names of functions any of which is right; empty: any name. */
  readonly culprits: readonly string[];
  /** File of the culprit, relative to the programs. */
  readonly file: string;
  /** First and last line of the culprit, inclusive; absent: any line. */
  readonly lines?: readonly [number, number];
  readonly causes: readonly BlockCause[];
  /** Name of the span that is active in the block; `none`: there is none; `any`: not looked at. */
  readonly parent: string;
  /** Types of the asynchronous resource any of which is right; empty: not looked at. */
  readonly resources: readonly string[];
  readonly flags: readonly string[];
  readonly http: boolean;
  readonly minimumNodeMajor: number;
}

export const programsDirectory = path.join(import.meta.dirname, 'programs');

/** All programs, in the order of their names. */
export function readCorpus(): Expectation[] {
  return readdirSync(programsDirectory)
    .filter((name) => /\.[cm][jt]s$/.test(name))
    .sort()
    .map((program) => parseExpectation(program, readFileSync(path.join(programsDirectory, program), 'utf8')));
}

export function parseExpectation(program: string, source: string): Expectation {
  const header = /\/\*\*([\s\S]*?)\*\//.exec(source)?.[1];
  if (header === undefined) throw new Error(`Expected ${program} to begin with a comment that says what it expects.`);
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
    if (words(tag).length === 0) throw new Error(`Expected ${program} to say @${tag}, got none.`);
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
    causes: required('cause') as readonly BlockCause[],
    parent: required('parent')[0]!,
    resources: words('resource'),
    flags: words('flags'),
    http: tags.has('http'),
    minimumNodeMajor: Number(words('node')[0] ?? 20),
  };
}

/** A culprit in a built file has no source with marks to look into. */
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

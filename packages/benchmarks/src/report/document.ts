import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

import { nodeMajors } from '@loopwatch/node-binaries';
import type { NodeMajor } from '@loopwatch/node-binaries';

import { documentFile, resultsDirectory } from '../paths.ts';
import { parts as allParts } from '../options.ts';
import type { Part } from '../options.ts';
import { withParts } from '../result.ts';
import type { BenchResult } from '../result.ts';
import { changesSince } from './changes.ts';
import { ownRuns, preamble } from './preamble.ts';
import { sectionsOf } from './sections.ts';

const START = '<!-- results: written by `npm run bench -- --write` -->';
const END = '<!-- end of results -->';
const SHOWN_MAJOR = '24';

/** Reads the last written result of a Node major. */
export function readResult(nodeMajor: NodeMajor): BenchResult | undefined {
  const file = resultFile(nodeMajor);
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as BenchResult) : undefined;
}

/** Writes a result, with what got worse since the result that it replaces. A run of some parts replaces only these. */
export function writeResult(nodeMajor: NodeMajor, result: BenchResult, parts: readonly Part[]): void {
  const previous = readResult(nodeMajor);
  const isWhole = allParts.every((part) => parts.includes(part));
  if (!isWhole && previous === undefined) {
    throw new Error(`Expected a result of a whole run on Node.js ${nodeMajor}, got none. Run without --parts first.`);
  }
  const whole = isWhole || previous === undefined ? result : withParts(previous, result, parts);
  const worse = previous === undefined ? [] : changesSince(previous, result);
  const written = isWhole ? { ...whole, worse } : whole;
  mkdirSync(resultsDirectory, { recursive: true });
  writeFileSync(resultFile(nodeMajor), `${JSON.stringify(written, null, 2)}\n`);
}

/** Regenerates the part of the document between the markers, and a page beside the results for each other major. Returns the document's path. */
export function writeDocument(): string {
  const results = nodeMajors.flatMap((nodeMajor) => readResult(nodeMajor) ?? []);
  const shown = results.filter(({ machine }) => isShown(machine.node));
  const others = results.filter(({ machine }) => !isShown(machine.node));
  const text = readFileSync(documentFile, 'utf8');
  const between = [...shown.map((result) => resultText(result, '##')), linksTo(others)].join('\n\n');
  writeFileSync(documentFile, replaceBetweenMarkers(text, between));
  for (const result of others) {
    const lead = 'How it is measured, and what the columns mean: [Benchmarks](../../../docs/evidence/benchmarks.md).';
    const [title, ...rest] = resultText(result, '#').split('\n\n');
    const page = [title?.replace('# ', '# Benchmarks on '), lead, ...rest].join('\n\n');
    writeFileSync(path.join(resultsDirectory, pageName(result)), `${page}\n`);
  }
  return path.relative(process.cwd(), documentFile);
}

/** One major is enough to read; the others are for those who run them. */
function isShown(node: string): boolean {
  return node.startsWith(`v${SHOWN_MAJOR}.`);
}

function linksTo(others: readonly BenchResult[]): string {
  const links = others.map(
    (result) => `- [Node.js ${result.machine.node}](../../packages/benchmarks/results/${pageName(result)})`,
  );
  return ['## Other majors', links.join('\n')].join('\n\n');
}

function pageName({ machine }: BenchResult): string {
  return `node-${machine.node.replace('v', '').split('.')[0] ?? ''}.md`;
}

export function replaceBetweenMarkers(text: string, between: string): string {
  const start = text.indexOf(START);
  const end = text.indexOf(END);
  if (start === -1 || end < start) {
    throw new Error(
      `Expected the lines "${START}" and "${END}" in docs/evidence/benchmarks.md, in this order. Put them back.`,
    );
  }
  return `${text.slice(0, start + START.length)}\n\n${between}\n\n${text.slice(end)}`;
}

/** `level`: the heading of the result, such as `##`. */
function resultText(result: BenchResult, level: string): string {
  const sections = sectionsOf(result).map(({ title, parts, table, note }) =>
    [`${level}# ${title}`, ...ownRuns(result, parts), table, ...(note === undefined ? [] : [note])].join('\n\n'),
  );
  const { worse = [] } = result;
  const gotWorse = worse.length === 0 ? [] : [`Worse than in the previous run: ${worse.join('; ')}.`];
  return [`${level} Node.js ${result.machine.node}`, preamble(result).join('\n'), ...sections, ...gotWorse].join(
    '\n\n',
  );
}

function resultFile(nodeMajor: NodeMajor): string {
  return path.join(resultsDirectory, `node-${nodeMajor}.json`);
}

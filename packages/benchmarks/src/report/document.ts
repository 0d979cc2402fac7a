import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

import { nodeMajors } from '@loopwatch/node-binaries';
import type { NodeMajor } from '@loopwatch/node-binaries';

import { documentFile, otherMajorsDirectory, resultsDirectory } from '../paths.ts';
import type { BenchResult, PartRun } from '../result.ts';
import { changesSince } from './changes.ts';
import { preamble } from './preamble.ts';
import { sectionsOf } from './sections.ts';

const START = '<!-- results: written by `npm run bench -- --write` -->';
const END = '<!-- end of results -->';
const SHOWN_MAJOR = '24';

/** Reads the last written result of a Node major. */
export function readResult(nodeMajor: NodeMajor): BenchResult | undefined {
  const file = resultFile(nodeMajor);
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as BenchResult) : undefined;
}

/**
 * Writes a result, with what got worse since the result that it replaces. One of some parts only replaces these parts.
 */
export function writeResult(nodeMajor: NodeMajor, result: BenchResult, isPartial: boolean): void {
  const previous = readResult(nodeMajor);
  if (isPartial && !previous) throw new Error(`Expected a result of all parts for Node.js ${nodeMajor} first.`);
  const worse = previous ? changesSince(previous, result) : [];
  const written = isPartial && previous ? withParts(previous, result) : { ...result, worse };
  mkdirSync(resultsDirectory, { recursive: true });
  writeFileSync(resultFile(nodeMajor), `${JSON.stringify(written, null, 2)}\n`);
}

/** The previous result with the parts of a later run, each with the conditions of that run. */
export function withParts(previous: BenchResult, later: BenchResult): BenchResult {
  const { minutes, date, machine, sdkVersion, versions, loadAverage, settings, apart, worse, ...measured } = later;
  const run: PartRun = { date, node: machine.node, loadAverage, versions };
  const runs = Object.fromEntries(Object.keys(measured).map((name) => [name, run]));
  return { ...previous, ...measured, apart: { ...previous.apart, ...runs } };
}

/** Regenerates the part of the document between the markers, and a page for each other major. Returns the document's path. */
export function writeDocument(): string {
  const results = nodeMajors.flatMap((nodeMajor) => readResult(nodeMajor) ?? []);
  const shown = results.filter(({ machine }) => isShown(machine.node));
  const others = results.filter(({ machine }) => !isShown(machine.node));
  const text = readFileSync(documentFile, 'utf8');
  const between = [...shown.map((result) => resultText(result, '##')), linksTo(others)].join('\n\n');
  writeFileSync(documentFile, replaceBetweenMarkers(text, between));
  mkdirSync(otherMajorsDirectory, { recursive: true });
  for (const result of others) {
    const lead = 'How it is measured, and what the columns mean: [Benchmarks](../benchmarks.md).';
    const [title, ...rest] = resultText(result, '#').split('\n\n');
    const page = [title?.replace('# ', '# Benchmarks on '), lead, ...rest].join('\n\n');
    writeFileSync(path.join(otherMajorsDirectory, pageName(result)), `${page}\n`);
  }
  return path.relative(process.cwd(), documentFile);
}

/** One major is enough to read; the others are for those who run them. */
function isShown(node: string): boolean {
  return node.startsWith(`v${SHOWN_MAJOR}.`);
}

function linksTo(others: readonly BenchResult[]): string {
  const links = others.map((result) => `- [Node.js ${result.machine.node}](benchmarks/${pageName(result)})`);
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
  const sections = sectionsOf(result).map(({ title, table, note }) =>
    [`${level}# ${title}`, table, ...(note === undefined ? [] : [note])].join('\n\n'),
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

import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

import { nodeMajors } from '@loopwatch/node-binaries';
import type { NodeMajor } from '@loopwatch/node-binaries';

import { documentFile, resultsDirectory } from '../paths.ts';
import type { BenchResult } from '../result.ts';
import { changesSince } from './changes.ts';
import { preamble } from './preamble.ts';
import { sectionsOf } from './sections.ts';

const START = '<!-- results: written by `npm run bench -- --write` -->';
const END = '<!-- end of results -->';

/** Reads the last written result of a Node major. */
export function readResult(nodeMajor: NodeMajor): BenchResult | undefined {
  const file = resultFile(nodeMajor);
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as BenchResult) : undefined;
}

/** Writes a result, with what got worse since the result that it replaces. */
export function writeResult(nodeMajor: NodeMajor, result: BenchResult): void {
  const previous = readResult(nodeMajor);
  const worse = previous ? changesSince(previous, result) : [];
  mkdirSync(resultsDirectory, { recursive: true });
  writeFileSync(resultFile(nodeMajor), `${JSON.stringify({ ...result, worse }, null, 2)}\n`);
}

/** Regenerates the part of the document between the markers. Returns the document's path. */
export function writeDocument(): string {
  const text = readFileSync(documentFile, 'utf8');
  const results = nodeMajors.flatMap((nodeMajor) => readResult(nodeMajor) ?? []);
  writeFileSync(documentFile, replaceBetweenMarkers(text, results.map(resultText).join('\n\n')));
  return path.relative(process.cwd(), documentFile);
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

function resultText(result: BenchResult): string {
  const sections = sectionsOf(result).map(({ title, table, note }) =>
    [`### ${title}`, table, ...(note === undefined ? [] : [note])].join('\n\n'),
  );
  const { worse = [] } = result;
  const gotWorse = worse.length === 0 ? [] : [`Worse than in the previous run: ${worse.join('; ')}.`];
  return [`## Node.js ${result.machine.node}`, preamble(result).join('\n'), ...sections, ...gotWorse].join('\n\n');
}

function resultFile(nodeMajor: NodeMajor): string {
  return path.join(resultsDirectory, `node-${nodeMajor}.json`);
}

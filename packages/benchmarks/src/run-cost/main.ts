// npm run bench:run -- [--node 20,24] [--pairs 8] [--before <cli.cjs or cli.mjs of another build>]
//
// What `loopwatch run` adds to the CPU time of a program, user and system, of all processes: its own, those of the
// program, and those that they start. Pairs with and without it, one after the other. It prints a table for the docs.
import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { parseArgs } from 'node:util';

import { nodeBinary, type NodeMajor, nodeMajors } from '@loopwatch/node-binaries';

import { describeMachine, loadAverage } from '../machine.ts';

const packages = path.resolve(import.meta.dirname, '../../..');
const programs = path.resolve(import.meta.dirname, '../../subjects/programs');
const CLI = path.join(packages, 'cli/dist/cli.cjs');

const SUBJECTS: readonly (readonly [label: string, ...words: string[]])[] = [
  ['CommonJS, prints a line', 'hello.cjs'],
  ['ES module, prints a line', 'hello.mjs'],
  ['evaluates a text', '-e', '1'],
  ['HTTP server and a request', 'http-request.cjs'],
  ['Fastify', 'fastify.cjs'],
  ['GraphQL', 'graphql.mjs'],
  ['waits for 1 s', 'waits.cjs'],
  ['works for 1 s in steps of 20 ms', 'works.cjs'],
  ['blocks for 0.4 s', 'blocks.cjs'],
  ['two worker threads', 'workers.cjs'],
  ['twenty worker threads, one after the other', 'short-workers.cjs'],
  ['three child processes', 'children.cjs'],
  ['`node --test`', '--test', 'tests.cjs'],
];

/** CPU time, ms, of a command and of all that it starts and waits for, as the kernel counts it. */
function cpuMsOf(command: readonly string[]): number {
  const script = 'TIMEFORMAT="%U %S"; { time "$@" >/dev/null 2>&1 </dev/null; } 2>&1';
  const { stdout, status } = spawnSync('bash', ['-c', script, 'bash', ...command], { cwd: programs, encoding: 'utf8' });
  const [user = NaN, system = NaN] = stdout.trim().split(' ').map(Number);
  if (status !== 0 || Number.isNaN(user + system)) {
    throw new Error(`Expected ${command.join(' ')} to end with code 0, got ${status}: ${stdout}`);
  }
  return (user + system) * 1000;
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return (
    ((sorted[Math.floor((sorted.length - 1) / 2)] ?? NaN) + (sorted[Math.ceil((sorted.length - 1) / 2)] ?? NaN)) / 2
  );
}

/** Medians of what each way adds to the program alone, ms. The first entry is the program alone. */
function measure(ways: readonly (readonly string[])[], pairs: number): number[] {
  const rounds = Array.from({ length: pairs + 1 }, () => ways.map(cpuMsOf)).slice(1); // the first one fills caches
  return ways.map((_, way) => median(rounds.map((round) => (way === 0 ? 0 : -round[0]!) + round[way]!)));
}

const { values } = parseArgs({
  options: {
    node: { type: 'string', default: '20,24' },
    pairs: { type: 'string', default: '8' },
    before: { type: 'string' },
  },
});
const majors = values.node.split(',').map((text) => nodeMajors.find((major) => major === Number(text)));
const pairs = Number(values.pairs);
if (majors.includes(undefined) || !(pairs >= 1)) {
  throw new Error(
    `Expected --node of ${nodeMajors.join(', ')} and --pairs of at least 1, got ${JSON.stringify(values)}.`,
  );
}
const clis = [...(values.before === undefined ? [] : [path.resolve(values.before)]), CLI];
for (const major of majors as NodeMajor[]) {
  const node = nodeBinary(major);
  const { cpu, cores, os, node: version } = describeMachine(major);
  console.log(`\nNode.js ${version}, ${cpu}, ${cores} cores, ${os}, load average ${loadAverage().toFixed(1)}\n`);
  console.log(
    `| program | alone, ms | ${clis.length > 1 ? 'before adds, ms | now adds, ms | ratio' : '`run` adds, ms'} |`,
  );
  console.log(`| --- | ${'---: | '.repeat(clis.length > 1 ? 4 : 2)}`.trim());
  const sums = clis.map(() => 0);
  for (const [label, ...words] of SUBJECTS) {
    const ways = [[node, ...words], ...clis.map((cli) => [node, cli, 'run', '--', node, ...words])];
    const [alone, ...added] = measure(ways, pairs);
    added.forEach((ms, index) => (sums[index]! += ms));
    printRow(label, alone, added);
  }
  printRow(
    'mean',
    undefined,
    sums.map((sum) => sum / SUBJECTS.length),
  );
}

function printRow(label: string, alone: number | undefined, added: readonly number[]): void {
  const cells = added.map((ms) => ms.toFixed(0));
  const ratio = added.length > 1 ? [(added[1]! / added[0]!).toFixed(2)] : [];
  console.log(`| ${[label, alone === undefined ? '' : alone.toFixed(0), ...cells, ...ratio].join(' | ')} |`);
}

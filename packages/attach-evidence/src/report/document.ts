import type { Comparison, Finding } from '../parts/compare/measure-compare.ts';
import type { HangResult } from '../parts/hangs/measure-hangs.ts';
import { hangs } from '../parts/hangs/measure-hangs.ts';
import type { CostResult } from '../parts/liveness/measure-cost.ts';
import type { Latency, LatencyResult } from '../parts/liveness/measure-latency.ts';
import type { StressResult } from '../parts/stress/measure-stress.ts';
import { SETTLED_REQUESTS } from '../parts/throughput/measure-throughput.ts';
import type { ThroughputResult } from '../parts/throughput/measure-throughput.ts';
import type { Estimate } from '../statistics.ts';
import { readResults } from './results.ts';

/** docs/evidence/attach.md, from the results that there are. */
export function evidenceDocument(): string {
  const sections = [
    stressSection(readResults<StressResult>('stress')),
    throughputSection(readResults<ThroughputResult>('throughput')),
    hangSection(readResults<HangResult[]>('hangs').flat()),
    compareSection(readResults<Comparison[]>('compare').flat()),
    latencySection(readResults<LatencyResult>('latency')),
    costSection(readResults<CostResult>('cost')),
  ];
  return `# What \`attach\`, \`dump\` and \`/livez\` do to a process

<!-- Written by \`pnpm --filter @loopwatch/attach-evidence evidence --write\`: change that program, not this page. -->

How right the blocks of an attached process are: [How accurate \`loopwatch attach\` is](attach-accuracy.md). Measured on
two cores, on which other programs ran.

${sections.filter((section) => section !== '').join('\n\n')}
`;
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}

const megabytes = (mb: number): string => `${mb.toFixed(1)} MB`;
const seconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`;

function stressSection(results: readonly StressResult[]): string {
  if (results.length === 0) return '';
  const ways = [...new Set(results.flatMap(({ attachments }) => Object.keys(attachments)))].sort();
  const problems = results.flatMap(({ nodeMajor, problems: some }) =>
    some.map((text) => `- Node ${nodeMajor}: ${text}`),
  );
  return `## Attached again and again

Servers are attached ten times each, some under load and some idle, two at a time, and each attach ends in another way.
A control server of the same kind gets the same requests. A request fails when its answer is not a whole one with status
200. Afterwards, threads, descriptors, listeners, globals, wrappers, environment and loaded modules are compared with
those before.

${table(
  [
    '',
    'attachments',
    'under load',
    'deaths',
    'inspectors that stay open',
    'requests',
    'failed',
    'of the control',
    'failed',
  ],
  results.map(({ nodeMajor, attachments, underLoad, deaths, openInspectors, load, control }) =>
    [
      `Node ${nodeMajor}`,
      Object.values(attachments).reduce((sum, count) => sum + count, 0),
      underLoad,
      deaths,
      openInspectors,
      load.sent,
      load.failed,
      control.sent,
      control.failed,
    ].map(String),
  ),
)}

${table(
  ['ended by', ...results.map(({ nodeMajor }) => `Node ${nodeMajor}`)],
  ways.map((way) => [way, ...results.map(({ attachments }) => String(attachments[way] ?? 0))]),
)}

${problems.length === 0 ? 'No process was different afterwards.' : `What was not as expected:\n\n${problems.join('\n')}`}`;
}

const percent = ({ value, low, high }: Estimate, factor = 100): string =>
  `${(value * factor).toFixed(2)} % (${(low * factor).toFixed(2)} to ${(high * factor).toFixed(2)} %)`;

function throughputSection(results: readonly ThroughputResult[]): string {
  if (results.length === 0) return '';
  return `## Throughput after an attach

CPU time per request of a server after an attach has ended, compared with before. A second server, to which nothing is
attached, serves windows of requests in turn with it; the ratio of the two is what is compared. Each pair has fresh
processes. "Soon" begins a second and a half after the end of the attach, "later" ${SETTLED_REQUESTS.toLocaleString('en')} requests after that. In
parentheses: the 95 % confidence interval.

- "Own thread": nothing is attached, but the server itself starts a worker thread and opens a connection, and ends both.
  V8 has optimised functions of \`node:stream\`, \`node:net\` and \`node:events\` for the objects that the server has had so
  far, and optimises them again for one more kind. This is what such a change costs without Loopwatch.
- "Control": nothing happens. Its deviation from 0 is noise.

${table(
  ['', 'pairs of processes', '', 'after an attach', 'own thread', 'control'],
  results.flatMap(({ nodeMajor, pairs, soon, later }) =>
    Object.entries({ soon, later }).map(([time, { attached, ownThread, control }]) => [
      `Node ${nodeMajor}`,
      String(pairs),
      time,
      percent(attached),
      percent(ownThread),
      percent(control),
    ]),
  ),
)}`;
}

function hangSection(results: readonly HangResult[]): string {
  if (results.length === 0) return '';
  const majors = [...new Set(results.map(({ nodeMajor }) => nodeMajor))];
  return `## Processes that hang

\`loopwatch dump\` of processes that hang for ever, three at a time. The table has the CPU time that the process got from
the start of the command to its end, and whether the dump is right: it names the function and its line, or says that the
thread is inside a call that V8 cannot interrupt. An optimised loop that calls built-in functions alone, such as
\`JSON.stringify\`, answers later: V8 hardly checks for interrupts there.

${table(
  ['', ...majors.map((major) => `Node ${major}`)],
  hangs.map(({ way, label }) => [
    label,
    ...majors.map((major) => {
      const result = results.find((each) => each.nodeMajor === major && each.way === way);
      return result ? `${result.isRight ? 'right' : '**wrong**'}, ${seconds(result.processMs)}` : '';
    }),
  ]),
)}`;
}

function compareSection(comparisons: readonly Comparison[]): string {
  if (comparisons.length === 0) return '';
  const leaves = ({ isAlive, leavesInspectorOpen, changed }: Finding): string => {
    const left = [
      ...(isAlive ? [] : ['**the process has ended**']),
      ...(leavesInspectorOpen ? ['inspector open'] : []),
      ...(changed ?? []).map((change) => change.replace(/:.*/, '')),
    ];
    return left.join(', ') || 'nothing';
  };
  const named = ({ isNamed }: Finding): string => (isNamed ? 'yes' : 'no');
  return `## Beside node-loop-detective

node-loop-detective 2.2.1 (commit d6e95f2) and Loopwatch, on Node 24, each on a process of its own. Ten programs block
about every second: both tools watch for 5 s. Ten hang for ever: node-loop-detective profiles for 5 s, and Loopwatch
makes a dump. "Named": the output has the function that blocks, with its file and line; for the native call that does
not end, V8 gives no stack to either. "Leaves": what is different 1.5 s after the tool has ended. A process that hangs
can close its inspector when its loop iterates, so it is open after both.

${table(
  ['program', 'Loopwatch: named', 'after', 'leaves', 'node-loop-detective: named', 'after', 'leaves'],
  comparisons.map(({ program, hangs: isHang, loopwatch, detective }) => [
    isHang ? `hangs: ${program}` : program,
    named(loopwatch),
    seconds(loopwatch.tookMs),
    leaves(loopwatch),
    named(detective),
    seconds(detective.tookMs),
    leaves(detective),
  ]),
)}`;
}

function latencySection(results: readonly LatencyResult[]): string {
  if (results.length === 0) return '';
  const cells = ({ p50Ms, p99Ms, maxMs }: Latency): string[] => [p50Ms, p99Ms, maxMs].map((ms) => ms.toFixed(1));
  return `## How soon \`/livez\` answers

\`GET /livez\`, each time by a new connection, of an idle process, and while JavaScript blocks the main thread. A bare
server of \`node:net\` in a worker thread of the same process is asked in turn: it shows what the machine allows. In
milliseconds. "Load": the load average of the machine, on two cores.

${table(
  ['', 'main thread', 'load', 'requests', '/livez p50', 'p99', 'max', 'bare p50', 'p99', 'max'],
  results.flatMap(({ nodeMajor, seconds: length, idle, blocked }) =>
    Object.entries({ [`idle, ${length} s`]: idle, [`blocked, ${length} s`]: blocked }).map(
      ([state, { requests, livez, bare, loadAverage }]) => [
        `Node ${nodeMajor}`,
        state,
        loadAverage.toFixed(1),
        String(requests),
        ...cells(livez),
        ...cells(bare),
      ],
    ),
  ),
)}`;
}

function costSection(results: readonly CostResult[]): string {
  if (results.length === 0) return '';
  return `## Cost of liveness

CPU time of an idle process, in percent of a core, more than that of one without \`livenessPort\` at the same time, and
its private memory. "Bare server" is such a process with a bare server of \`node:net\` in a worker thread, asked each
second too. In parentheses: the 95 % confidence interval.

${table(
  ['', 'windows', 'on', 'on, asked each second', 'bare server, asked each second', 'memory', 'bare server'],
  results.map(({ nodeMajor, windows, windowSeconds, on, askedEachSecond, bareAskedEachSecond, memoryMb }) => [
    `Node ${nodeMajor}`,
    `${windows} of ${windowSeconds} s`,
    percent(on, 1),
    percent(askedEachSecond, 1),
    percent(bareAskedEachSecond, 1),
    megabytes(memoryMb.askedEachSecond),
    megabytes(memoryMb.bareAskedEachSecond),
  ]),
)}`;
}

import { nodeMajors } from '@loopwatch/node-binaries';
import type { NodeMajor } from '@loopwatch/node-binaries';

import { exceptionFor, knownExceptions } from '../exceptions.ts';
import { isMarked, rightShare, titleOf } from '../failures.ts';
import type { Findings } from '../findings.ts';
import type { FieldProgram } from '../program.ts';
import type { ProgramResult } from '../run-suite.ts';

export interface WrittenResult extends ProgramResult {
  readonly date: string;
  readonly machine: string;
}

/** The document, from the programs and the results of their last runs. */
export function documentOf(programs: readonly FieldProgram[], results: readonly WrittenResult[]): string {
  const sections = [
    '# In the field',
    '<!-- Written by `npm run test:field -- --write`: change packages/field, not this page. -->',
    introduction(results),
    '## Result',
    summary(results),
    outcomeTable(programs, results),
    notRun(programs, results),
    '## What was not right',
    findingsText(results),
    '## Known exceptions',
    exceptionsText(),
    '## How it is judged',
    method,
    '## Programs',
    programTable(programs),
    notObtained,
    '## How to run it',
    howTo,
  ];
  return `${sections.join('\n\n')}\n`;
}

function introduction(results: readonly WrittenResult[]): string {
  const dates = results.map(({ date }) => date).sort();
  const machines = [...new Set(results.map(({ machine }) => machine.replace(/, load average.*/, '')))];
  const loads = results.map(({ machine }) => Number(/load average ([\d.]+)/.exec(machine)?.[1] ?? 0));
  return `Programs of the npm registry, at pinned versions, run without Loopwatch, under \`loopwatch run\`, and servers also with
\`/register\`, with and without OpenTelemetry's auto-instrumentation. What they do is compared, and every reported block
is checked against V8's own CPU profile of the same run.

${[...new Set([dates[0], dates.at(-1)])].join(' to ')}; ${machines.join('; ')}; load average ${Math.min(...loads)} to ${Math.max(...loads)}.`;
}

function summary(results: readonly ProgramResult[]): string {
  const { right, marked, checked } = rightShare(results);
  const shareOf = (count: number): string =>
    `${count} of ${checked} checked blocks${checked === 0 ? '' : ` (${percent(count / checked)})`}`;
  const runs = results.flatMap(({ findings }) => findings);
  const total = (count: (run: Findings) => number): number => runs.reduce((sum, run) => sum + count(run), 0);
  const same = runs.filter(({ differences }) => differences.length === 0).length;
  const observers = total(({ blocks }) => blocks.filter(({ isObserver }) => isObserver).length);
  return [
    `- **Same behaviour** in ${same} of ${runs.length} runs.`,
    `- **Right culprit** in ${shareOf(right)}; right, or marked as a guess (\`≈\`), in ${shareOf(right + marked)}.`,
    `- **Not checked**: ${total(({ counts }) => counts.unchecked)} blocks. No function named: ${total(({ counts }) => counts.unnamed)}.`,
    `- **Not reported**: ${total(({ misses }) => misses.length)} findings.`,
    `- **An observer as culprit** (Loopwatch, OpenTelemetry, their hooks): ${observers} blocks.`,
  ].join('\n');
}

/** A row for each program: its runs are in the results. */
function outcomeTable(programs: readonly FieldProgram[], results: readonly WrittenResult[]): string {
  const rows = programs.flatMap(({ name }) => {
    const runs = results.find((result) => result.name === name)?.findings ?? [];
    if (runs.length === 0) return [];
    const total = (count: (run: Findings) => number): number => runs.reduce((sum, run) => sum + count(run), 0);
    const markedIn = ({ blocks }: Findings): number =>
      blocks.filter((block) => block.verdict === 'wrong' && isMarked(block)).length;
    const differing = runs.filter(({ differences }) => differences.length > 0).length;
    const counts = [
      runs.length,
      total((run) => run.counts.right),
      total(markedIn),
      total((run) => run.counts.wrong - markedIn(run)),
      total((run) => run.counts.unnamed),
      total((run) => run.counts.unchecked),
      total(({ misses }) => misses.length),
    ];
    return [[name, differing === 0 ? 'same' : `**another in ${differing}**`, ...counts.map(String)]];
  });
  const header = [
    'program',
    'behaviour',
    'runs',
    'right',
    'wrong, marked',
    'wrong',
    'no function',
    'not checked',
    'not reported',
  ];
  return `${table(header, rows)}\n\nEach run: [results](../../packages/field/results).`;
}

function notRun(programs: readonly FieldProgram[], results: readonly WrittenResult[]): string {
  const lines = nodeMajors.flatMap((major) => {
    const names = programs
      .filter(({ nodeMajors: possible = nodeMajors }) => possible.includes(major))
      .map(({ name }) => name)
      .filter((name) => !results.some((result) => result.name === name && hasRunOn(result, major)));
    return names.length === 0 ? [] : [`- Node ${major}: ${names.join(', ')}`];
  });
  return lines.length === 0 ? 'Every program has run on every major.' : `Not run:\n\n${lines.join('\n')}`;
}

function hasRunOn({ findings }: WrittenResult, major: NodeMajor): boolean {
  return findings.some(({ nodeMajor }) => nodeMajor === major);
}

function findingsText(results: readonly WrittenResult[]): string {
  const items = results.flatMap(({ name, findings }) =>
    findings.flatMap((run) =>
      linesOf(run)
        .filter((line) => exceptionFor(name, run.mode, line) === undefined)
        .map((line) => `- ${titleOf(name, run)}: ${line}`),
    ),
  );
  return items.length === 0 ? 'Nothing.' : withoutFolders(items.join('\n'));
}

function linesOf({ differences, blocks, misses }: Findings): string[] {
  return [
    ...differences.map((difference) => `another behaviour: ${code(difference)}`),
    ...blocks
      .filter(({ verdict }) => verdict === 'wrong' || verdict === 'unnamed')
      .map(
        ({ verdict, durationMs, cause, stackQuality, culprit, reason }) =>
          `${verdict === 'wrong' ? 'wrong' : 'no function'}, ${durationMs} ms, ${cause}, ${stackQuality}: ` +
          `${code(culprit || 'no culprit')}; ${code(reason)}`,
      ),
    ...misses.map((miss) => `not reported: ${code(miss)}`),
  ];
}

function exceptionsText(): string {
  if (knownExceptions.length === 0) return 'None.';
  return knownExceptions
    .map(({ program, modes, what, reason }) => `- ${program} (${modes.join(', ')}), \`${what.source}\`: ${reason}`)
    .join('\n');
}

function programTable(programs: readonly FieldProgram[]): string {
  const rows = programs.map(({ name, kind, work }) => [name, kind, work]);
  return `${table(['program', 'kind', 'work'], rows)}\n\nThe versions of their packages are in the [results](../../packages/field/results).`;
}

function table(header: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  return [line(header), line(header.map(() => '---')), ...rows.map(line)].join('\n');
}

/** Code in Markdown: the text has no backtick of its own then. */
function code(text: string): string {
  return `\`${text.replaceAll('`', "'")}\``;
}

/** Paths from the program's folder on: the folders above differ from machine to machine. */
export function withoutFolders(text: string): string {
  return text
    .replace(/(?:file:\/\/)?\/[^\s"`]*\/field\/loopwatch-cli-[0-9a-f]+\//g, '')
    .replace(/(?:file:\/\/)?\/[^\s"`]*?\/field\/[a-z\d-]+?(?:-[0-9a-f]{12})?\//g, '')
    .replace(/(?:file:\/\/)?\/[^\s"`]*?\/npm-sdk\d-[^\s"`/]+\//g, '');
}

function percent(share: number): string {
  return `${(share * 100).toFixed(1)} %`;
}

const method = `- **Behaviour**: exit code or signal, stdout, stderr without the lines of \`loopwatch run\`, status, type and body of every
  answer, and whether a signal (SIGTERM or SIGINT) ends the program the same way. Durations, clocks, process ids and the
  port are replaced first. Runs with \`auto+register\` are compared with \`auto\`, all others with the plain run. What
  differs counts only if it also differs without the profiler.
- **Profile**: a preload lets V8 write its CPU profile of each process and worker thread as trace events while it takes the
  samples, so that a terminated worker thread has its profile too. A server ends the recording before the signal. The
  time stamps of V8 and of the reports are readings of the same monotonic clock.
- **Right**: the culprit is on the stack in at least half of the block's samples: it computed, or called what computed,
  or awaits what computed. Where no function has half of the samples: the culprit is the longest one. A function whose
  name the program has set at run time has another name in the profile: there it is found by its place.
- **Wrong**: another function has half of them; or the thread was \`(idle)\` for half of the block, or asleep after the last request; or the culprit is
  Loopwatch, OpenTelemetry or one of their hooks while code of the program or its packages is on the stack.
  **Wrong, marked**: the report says that its culprit is a guess (\`post_native\`, "≈").
- **Not checked**: the thread has no profile (a killed process), the profile does not cover the block, it has no stack for
  half of it (native code, or a thread that waits for a CPU: V8 takes no samples then), no function has half of the
  samples and the culprit has at least half as many as the longest one, it has no functions that wait in an \`await\`, or
  it has only the culprit's caller: V8 shows an inlined function as its caller. That is so where, for half of the block,
  the culprit is on the stack or its caller is the innermost function.
- **Not reported**: an uninterrupted stretch of JavaScript under one outermost function, of which samples show more than the
  threshold and a half, that no reported block covers for half of it; or fewer blocks than the program makes for certain.
  The evaluation of the entry point is start-up, and so is loading modules, in a server until it is ready; also what they
  leave to promise jobs before the loop starts, or in an iteration of the loop that loads for most of its time.
- \`(garbage collector)\`: V8 has no stack there; such a sample has the stack of the sample before it.
  \`(program)\`: native code without JavaScript; such a sample says nothing about a culprit and ends a stretch.`;

const notObtained = `n8n depends on a package that is not on the npm registry; the npm version of that package replaces it. Other heavy
servers could not be installed as packages: the latest Strapi and directus depend on versions that are not on the
registry, directus 11.3.5 on a native package (isolated-vm) that does not compile with Node.js 24, and Ghost on tarballs
inside its own package.`;

const howTo = `\`\`\`
npm run test:field
npm run test:field -- --programs webpack,jest --node 24 --modes run
npm run test:field -- --write
\`\`\`

The first command runs everything, on Node.js 20 and 24; it takes about half an hour on two cores, and is also a part of
\`npm run test:long\`. \`--write\` writes this page; the runs that \`--programs\`, \`--node\` and \`--modes\` leave out
keep their last results. The
packages of the programs are installed into the user's cache directory (\`LOOPWATCH_CACHE_DIR\`), once.`;

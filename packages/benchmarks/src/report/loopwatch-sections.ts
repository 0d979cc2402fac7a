// Tables of the parts that measure Loopwatch alone, or in one process with its peers.
import { peers as allPeers, servers as allServers } from '../catalogue.ts';
import type { ThreadsPhase } from '../parts/measure-threads.ts';
import type { BenchResult } from '../result.ts';
import type { Section } from './section.ts';
import { markdownTable } from './markdown-table.ts';
import {
  addedMebibytesText,
  addedMillisecondsText,
  addedPercentText,
  addedText,
  fineRatioText,
  mebibytes,
  microseconds,
  percent,
} from './format.ts';

export function pairedSection({ paired }: BenchResult): Section[] {
  if (!paired) return [];
  const rows = allServers.flatMap(({ name, label }) => {
    const summary = paired[name];
    if (!summary) return [];
    return [
      [
        label,
        microseconds(summary.cpuMicrosecondsPerRequest),
        fineRatioText(summary.serving),
        fineRatioText(summary.control),
        summary.servingOfPairs.map((value) => value.toFixed(3)).join(', '),
        fineRatioText(summary.total),
        String(summary.blocks),
      ],
    ];
  });
  const header = [
    '',
    'CPU per request with it off, µs',
    'on / off',
    'off / off (control)',
    'on / off of each pair',
    'on / off, all CPU, half idle',
    'trials',
  ];
  return [{ title: 'Loopwatch on and off', parts: ['paired'], table: markdownTable(header, rows) }];
}

export function threadsSection({ threads }: BenchResult): Section[] {
  if (!threads) return [];
  const watchdog = ({ watchdogPercent }: ThreadsPhase): string =>
    watchdogPercent === undefined ? '–' : percent(watchdogPercent);
  const added = ({ watchedPercent, unwatchedPercent }: ThreadsPhase): string =>
    percent(watchedPercent - unwatchedPercent);
  const rows = threads.map(({ workers, idle, busy }) => [
    `${workers} worker thread${workers === 1 ? '' : 's'}`,
    watchdog(idle),
    added(idle),
    watchdog(busy),
    added(busy),
  ]);
  const header = [
    '% of a core',
    'watchdog, workers idle',
    'added to the process, workers idle',
    'watchdog, workers busy',
    'added to the process, workers busy',
  ];
  return [{ title: 'Worker threads', parts: ['threads'], table: markdownTable(header, rows) }];
}

export function spansSection({ spans }: BenchResult): Section[] {
  if (!spans) return [];
  const rows = spans.map(({ kind, nanoseconds, added }) => [kind, nanoseconds.toFixed(0), addedText(added)]);
  const header = ['', 'CPU of start and end without it, ns', 'added by `EventLoopSpanProcessor`, ns'];
  return [{ title: 'Span processor', parts: ['spans'], table: markdownTable(header, rows) }];
}

export function sheddersSection({ shedders }: BenchResult): Section[] {
  if (!shedders) return [];
  const rows = shedders.map(({ name, nanoseconds }) => [`\`${name}\``, nanoseconds.toFixed(0)]);
  return [{ title: 'Shedders', parts: ['shedders'], table: markdownTable(['', 'one question, ns'], rows) }];
}

export function probesSection({ probes }: BenchResult): Section[] {
  if (!probes) return [];
  const answerer = (path: string): string => (path === '/healthz' ? 'the event loop, `node:http`' : 'the watchdog');
  const rows = probes.map(({ path, cpuMicroseconds }) => [`\`${path}\``, answerer(path), cpuMicroseconds.toFixed(0)]);
  return [
    { title: 'Probes', parts: ['probes'], table: markdownTable(['', 'answered by', 'CPU of one answer, µs'], rows) },
  ];
}

export function loadingSection({ loading }: BenchResult): Section[] {
  if (!loading) return [];
  const { nodeMs, rows } = loading;
  const starts = (ms: number): string => (ms / nodeMs).toFixed(2);
  const header = [
    'CPU, ms',
    'compared with',
    'added to the main thread',
    'added to the process',
    'the same in starts of Node.js',
  ];
  const table = rows.map(({ label, over, thread, process }) => [
    label,
    over,
    thread ? addedMillisecondsText(thread) : '–',
    addedMillisecondsText(process),
    starts(process.value),
  ]);
  return [
    {
      title: 'Loading and registering',
      parts: ['loading'],
      table: markdownTable(header, table),
      note: `A start of Node.js with an empty program: ${nodeMs.toFixed(1)} ms of CPU.`,
    },
  ];
}

export function saturatedSection({ saturated }: BenchResult): Section[] {
  if (!saturated) return [];
  const rows = allPeers.flatMap(({ name, label }) => {
    const summary = saturated.peers[name];
    if (!summary) return [];
    return [
      [
        label,
        addedPercentText(summary.main),
        addedPercentText(summary.others),
        addedPercentText(summary.total),
        percent(summary.idlePercent),
        mebibytes(summary.rssBytes),
      ],
    ];
  });
  const header = [
    '% of a core',
    'taken from the busy thread',
    'CPU of other threads',
    'both',
    'whole process when idle',
    'RSS, MiB',
  ];
  return [{ title: 'A saturated process', parts: ['saturated'], table: markdownTable(header, rows) }];
}

export function questionsSection({ questions }: BenchResult): Section[] {
  if (!questions) return [];
  const { answer, report, watchdog, percent: ofCore, steady, heapBytes, rssBytes } = questions;
  const rows = [
    ['the answer, on the busy thread', `${addedText(answer)} µs`],
    ['what the busy thread makes of it', `${addedText(report)} µs`],
    ["the watchdog's thread", `${addedText(watchdog)} µs`],
    ['all of it, 5 times a second', `${addedPercentText(ofCore)} % of a core`],
    ...(steady
      ? [
          [
            `all of it after two minutes, ${steady.perSecond.toFixed(1)} times a second`,
            `${addedPercentText(steady.percent)} % of a core`,
          ],
        ]
      : []),
    ['heap of the main thread', `${addedMebibytesText(heapBytes)} MiB`],
    ['RSS of the process', `${addedMebibytesText(rssBytes)} MiB`],
  ];
  return [
    {
      title: 'The questions to a saturated process',
      parts: ['questions'],
      table: markdownTable(['a question for the time of the loop costs', ''], rows),
    },
  ];
}

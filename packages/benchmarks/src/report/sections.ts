import { peers as allPeers, servers as allServers } from '../catalogue.ts';
import type { Peer } from '../catalogue.ts';
import type { BenchResult } from '../result.ts';
import type { LoadSummary } from '../parts/load/summarize-load.ts';
import {
  loadingSection,
  pairedSection,
  probesSection,
  questionsSection,
  saturatedSection,
  sheddersSection,
  spansSection,
  threadsSection,
} from './loopwatch-sections.ts';
import { markdownTable } from './markdown-table.ts';
import type { Section } from './section.ts';
import { mebibytes, microseconds, milliseconds, ratioText } from './format.ts';

export function sectionsOf(result: BenchResult): Section[] {
  return [
    ...pairedSection(result),
    ...loadSections(result),
    ...footprintSection(result),
    ...saturatedSection(result),
    ...questionsSection(result),
    ...loadingSection(result),
    ...threadsSection(result),
    ...microSection(result),
    ...spansSection(result),
    ...sheddersSection(result),
    ...probesSection(result),
    ...qualitySection(result),
  ];
}

function loadSections({ load = {} }: BenchResult): Section[] {
  return allServers.flatMap((server) => {
    const summaries = load[server.name];
    if (!summaries) return [];
    const rows = measured(summaries).map(([peer, summary]) => [
      peer.label,
      microseconds(summary.cpuMicrosecondsPerRequest),
      ratioText(summary.cpuToBaseline),
      summary.cpuToControl ? ratioText(summary.cpuToControl) : '',
      milliseconds(summary.p99Ms),
      ratioText(summary.p99ToBaseline),
    ]);
    const header = [
      '',
      'CPU per request, µs',
      'relative to none',
      'relative to the SDK alone',
      'p99, ms',
      'p99 relative to none',
    ];
    return [{ title: server.label, parts: ['load'], table: markdownTable(header, rows) }];
  });
}

function footprintSection({ load = {}, idlePercent = {} }: BenchResult): Section[] {
  const summaries = allServers.map(({ name }) => load[name]).find((each) => each !== undefined);
  const names: Readonly<Record<string, LoadSummary | number>> = summaries ?? idlePercent;
  if (Object.keys(names).length === 0) return [];
  const rows = measured(names).map(([{ label, name }]) => {
    const summary = summaries?.[name];
    return [
      label,
      idlePercent[name] === undefined ? '' : idlePercent[name].toFixed(2),
      summary ? mebibytes(summary.rssBytes) : '',
      summary ? milliseconds(summary.readyMs) : '',
    ];
  });
  const header = ['', 'CPU when idle, % of a core', 'RSS after load, MiB', 'process start to listening, ms'];
  return [{ title: 'Idle CPU, memory and start-up', parts: ['load', 'idle'], table: markdownTable(header, rows) }];
}

function microSection({ micro }: BenchResult): Section[] {
  if (!micro) return [];
  const rows = measured(micro).map(([peer, summary]) => [
    peer.label,
    summary.awaitNanoseconds.toFixed(0),
    ratioText(summary.awaitToBaseline),
    summary.turnNanoseconds.toFixed(0),
    summary.addedTurnNanoseconds.toFixed(0),
  ]);
  const header = [
    '',
    'CPU of one await, ns',
    'relative to none',
    'CPU of one loop iteration, ns',
    'added to the iteration, ns',
  ];
  return [{ title: 'Awaits and loop iterations', parts: ['micro'], table: markdownTable(header, rows) }];
}

function qualitySection({ quality }: BenchResult): Section[] {
  if (!quality) return [];
  const rows = measured(quality).map(([peer, found]) => {
    const of = (count: number | undefined): string => (count === undefined ? '–' : `${count} of ${found.blocks}`);
    return [
      peer.label,
      of(found.seen),
      found.lengthErrorMs === undefined ? '–' : milliseconds(found.lengthErrorMs),
      of(found.rightLine),
      of(found.rightSpan),
      of(found.rightCause),
      found.knownAfterMs === undefined ? '–' : milliseconds(found.knownAfterMs),
      found.hangKnownAfterMs === undefined ? 'no' : `after ${(found.hangKnownAfterMs / 1e3).toFixed(1)} s`,
    ];
  });
  const header = [
    '',
    'blocks reported',
    'length error, ms (median)',
    'right line',
    'right span',
    'right cause',
    'reported after, ms from the start of the block (median)',
    'hang reported',
  ];
  const ours = measured(quality).filter(([{ name }]) => name.startsWith('loopwatch'));
  const misses = ours.flatMap(([{ label }, found]) =>
    found.misses.length === 0 ? [] : [`${label}: ${found.misses.join(', ')}`],
  );
  return [
    {
      title: 'Quality of the reports',
      parts: ['quality'],
      table: markdownTable(header, rows),
      ...(misses.length > 0 && { note: `Wrong or missing: ${misses.join('; ')}.` }),
    },
  ];
}

function measured<Value>(byName: Readonly<Record<string, Value>>): [Peer, Value][] {
  return allPeers.flatMap((peer) => {
    const value = byName[peer.name];
    return value === undefined ? [] : [[peer, value] satisfies [Peer, Value]];
  });
}

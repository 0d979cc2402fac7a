import os from 'node:os';

import { cases } from './measure.ts';
import type { BlockResult, Case, LoadResult, LoadSettings, Signal } from './measure.ts';
import type { Subject } from './subjects.ts';

export interface Measured {
  readonly of: Case;
  readonly result: LoadResult;
}

const titles: Readonly<Record<Subject['name'], string>> = {
  gateway: 'gateway',
  agent: 'agent',
  bare: 'collector without our pipelines',
};
const items: Readonly<Record<Signal, string>> = { traces: 'spans', metrics: 'histogram points' };

/** docs/evidence/pipeline-load.md. */
export function loadDocument(results: readonly Measured[], settings: LoadSettings, machine: string): string {
  const rounds = results.length / cases.length;
  return `# What a core of the pipeline takes

<!-- Written by \`node packages/e2e/src/load/main.ts --write\`: change that program, not this page. -->

The agent and the gateway of the [chart](kubernetes.md), and a collector that receives OTLP and sends it on without our
pipelines, as processes with a share of one core (a quota, as by a CPU limit). \`telemetrygen\`, the collector's own load
generator, offers up to 27,000 spans or points a second, which is all it can, from another core. There, a collector that
keeps nothing stands for the backends. Traces have ten spans, and all are kept. Each measurement has fresh processes,
${settings.warmUpSeconds} s to warm up and ${settings.seconds} s that count; ${rounds === 1 ? 'one round' : `medians of ${rounds} rounds, lowest and highest in parentheses`}.

${machine}

${(['traces', 'metrics'] as const).map((signal) => table(results, signal)).join('\n\n')}

- "Used of it": at 100 %, the collector takes no more, and its senders wait; below, they have offered no more, which on a busy machine is less than
  they can.
- "In a CPU second": what a whole core takes, by the CPU time that was used.
- "Refused": of what arrived, by the memory limiter; the sender tries again.
- "Not queued": accepted, but the queue of an exporter was full: lost, and \`TelemetryLost\` fires. Blocks and
  hangs have a queue of their own.

${blocksOf(results)}

**Where it bends.** Near its ceiling, a gateway makes its senders wait, and the agents' queues grow: above, while it used nearly all of a
fifth of a core, it accepted fewer blocks in the same time, and lost none. So give gateways one core for each 30,000 spans a second
that they receive, about half of what one takes.

**Batches before the queue.** Tail sampling passes on each trace by itself. Before the gateway had batches in front of its queue on
disk, each trace was an entry and a transaction of its own. On a busy machine, in two rounds by turns, a gateway with a
fifth of a core took 14,400 and 11,500 spans a second with the batches, and 279 and 255 without; none was lost.
Of blocks, up to ten a second beside that load, 241 of 241 were accepted and arrived with the batches; 125 of 129 without.

**A thousand processes** that export 70 points a minute each send 1,170 points a second: about a hundredth of a core of the
gateway. Their spans decide about its size, not their number.
`;
}

/** What became of the blocks beside the load, in all rounds. */
function blocksOf(results: readonly Measured[]): string {
  const lines = cases.flatMap((each) => {
    const counts = results.flatMap(({ of, result }) => (of === each && result.blocks ? [result.blocks] : []));
    if (counts.length === 0) return [];
    const sum = (key: keyof BlockResult): number => counts.reduce((total, count) => total + count[key], 0);
    return `${each.share * 100} % of a core: ${sum('accepted')} accepted, ${sum('refused')} not accepted within 10 s, ${sum('lost')} of the accepted lost`;
  });
  return `**Blocks**, up to ten a second beside the spans, straight to the gateway. ${lines.join('; ')}.`;
}

function table(results: readonly Measured[], signal: Signal): string {
  const rows = cases
    .filter((each) => each.signal === signal)
    .map((each) => {
      const of = results.filter((measured) => measured.of === each).map(({ result }) => result);
      return [
        titles[each.subject],
        `${each.share * 100} %`,
        range(of.map(({ accepted, seconds }) => accepted / seconds)),
        range(
          of.map(({ cpuSeconds, seconds }) => (100 * cpuSeconds) / seconds / each.share),
          ' %',
        ),
        range(of.map(({ accepted, cpuSeconds }) => accepted / cpuSeconds)),
        range(
          of.map(({ refused, accepted }) => (100 * refused) / (refused + accepted)),
          ' %',
        ),
        range(
          of.map(({ failed, accepted }) => (100 * failed) / accepted),
          ' %',
        ),
        range(
          of.map(({ memoryMib }) => memoryMib),
          ' MiB',
        ),
      ];
    });
  const head = [
    '',
    'of a core',
    `${items[signal]} a second`,
    'used of it',
    'in a CPU second',
    'refused',
    'not queued',
    'memory',
  ];
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  return [line(head), line(head.map((_, index) => (index === 0 ? '---' : '---:'))), ...rows.map(line)].join('\n');
}

/** The median, lowest and highest value. */
function range(values: readonly number[], unit = ''): string {
  const sorted = [...values].sort((a, b) => a - b);
  const format = (value: number): string => Number(value.toPrecision(3)).toLocaleString('en');
  const median = sorted[Math.floor(sorted.length / 2)]!;
  if (sorted.length === 1) return `${format(median)}${unit}`;
  return `${format(median)}${unit} (${format(sorted[0]!)} to ${format(sorted.at(-1)!)})`;
}

export function machineLine(): string {
  const processors = os.cpus();
  return (
    `Machine: ${processors[0]?.model.trim() || 'unknown CPU'}, ${processors.length} cores, ` +
    `${Math.round(os.totalmem() / 2 ** 30)} GiB, ${os.type()} ${os.release()} ${os.arch()}, ` +
    `load average ${os.loadavg()[0]!.toFixed(1)}.`
  );
}

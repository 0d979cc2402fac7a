import os from 'node:os';

import { CPU_SHARE } from './measure.ts';
import type { LoadResult, LoadSettings, Signal } from './measure.ts';
import type { Subject } from './subjects.ts';

export interface Measured {
  readonly subject: Subject['name'];
  readonly signal: Signal;
  readonly result: LoadResult;
}

const titles: Readonly<Record<Subject['name'], string>> = {
  gateway: 'gateway',
  agent: 'agent',
  bare: 'collector without our pipelines',
};
const items: Readonly<Record<Signal, string>> = { traces: 'spans', metrics: 'histogram points' };

/** docs/pipeline-load.md. */
export function loadDocument(results: readonly Measured[], settings: LoadSettings): string {
  const rounds = results.filter(({ subject, signal }) => subject === 'bare' && signal === 'traces').length;
  return `# What a core of the pipeline takes

<!-- Written by \`node packages/e2e/src/load/main.ts --write\`: change that program, not this page. -->

The agent and the gateway of the [chart](kubernetes.md), and a collector that receives OTLP and sends it on without our
pipelines, as processes, each with ${CPU_SHARE * 100} % of a core (a quota, as by a CPU limit of ${CPU_SHARE * 1000}m). \`telemetrygen\`, the collector's own load
generator, offers more than they take, from another core, where a collector that keeps nothing stands for the backends.
Traces have ten spans, and all are kept. Each measurement has fresh processes, ${settings.warmUpSeconds} s to warm up and ${settings.seconds} s that
count; medians of ${rounds} rounds, lowest and highest in parentheses.

${machineLine()}

${(['traces', 'metrics'] as const).map((signal) => table(results, signal)).join('\n\n')}

- "Of its quota": at 100 %, the collector takes no more, and its senders wait. "In a CPU second" is what a whole core takes.
- "Refused": of what arrived, by the memory limiter; the sender tries again.
- "Not queued": accepted, but the queue of an exporter was full.
`;
}

function table(results: readonly Measured[], signal: Signal): string {
  const rows = (Object.keys(titles) as Subject['name'][]).map((name) => {
    const of = results.filter((each) => each.subject === name && each.signal === signal).map(({ result }) => result);
    return [
      titles[name],
      range(of.map(({ accepted, seconds }) => accepted / seconds)),
      range(
        of.map(({ cpuSeconds, seconds }) => (100 * cpuSeconds) / seconds / CPU_SHARE),
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
  const head = ['', `${items[signal]} a second`, 'of its quota', 'in a CPU second', 'refused', 'not queued', 'memory'];
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  return [line(head), line(head.map((_, index) => (index === 0 ? '---' : '---:'))), ...rows.map(line)].join('\n');
}

/** The median, lowest and highest value. */
function range(values: readonly number[], unit = ''): string {
  const sorted = [...values].sort((a, b) => a - b);
  const format = (value: number): string => Number(value.toPrecision(3)).toLocaleString('en');
  const median = sorted[Math.floor(sorted.length / 2)]!;
  return `${format(median)}${unit} (${format(sorted[0]!)} to ${format(sorted.at(-1)!)})`;
}

function machineLine(): string {
  const processors = os.cpus();
  return (
    `Machine: ${processors[0]?.model.trim() || 'unknown CPU'}, ${processors.length} cores, ` +
    `${Math.round(os.totalmem() / 2 ** 30)} GiB, ${os.type()} ${os.release()} ${os.arch()}, ` +
    `load average ${os.loadavg()[0]!.toFixed(1)}.`
  );
}

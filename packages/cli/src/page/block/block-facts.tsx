import type { JSX } from 'preact';

import { formatInstance, formatMs, formatShare, plural } from '../../model/format.js';
import type { Block, Instance, StackQuality } from '../../model/types.js';
import { CAUSE_EXPLAINED } from '../parts/cause.js';

const QUALITY_TEXT: Readonly<Record<StackQuality, string>> = {
  live: 'captured while the code ran',
  post_native: 'captured after a native call had returned: the line may be a later one',
  none: 'none',
};

/** Facts about the block, and how its time divides. */
export function BlockFacts({ block, instance }: { block: Block; instance: Instance | undefined }): JSX.Element {
  const facts: [name: string, value: string | undefined][] = [
    ['Request', block.request],
    ['Async resource', block.asyncResource],
    ['Process', instance && formatInstance(instance)],
    ['Thread', block.threadName],
    ['Stack', `${QUALITY_TEXT[block.stackQuality]}, ${plural(block.sampleCount, 'sample')}`],
    ['Victims', victimText(block)],
    ['Pending', block.pending?.join(', ')],
    [
      'Not reported',
      block.suppressedCount > 0 ? `${plural(block.suppressedCount, 'block')} of the same culprit` : undefined,
    ],
  ];
  return (
    <>
      <p class="explained">{CAUSE_EXPLAINED[block.cause]}</p>
      <TimeBreakdown block={block} />
      <dl class="facts">
        {facts.map(
          ([name, value]) =>
            value !== undefined &&
            value !== '' && (
              <div key={name}>
                <dt>{name}</dt>
                <dd>{value}</dd>
              </div>
            ),
        )}
      </dl>
    </>
  );
}

function victimText({ victimCount = 0, victimWaitMs }: Block): string | undefined {
  if (victimCount === 0) return undefined;
  const wait = victimWaitMs === undefined ? '' : `, waited ${formatMs(victimWaitMs)} in total`;
  return `${plural(victimCount, 'span')}${wait}`;
}

/** The block's time by state of the thread: on CPU, in garbage collection, in the run queue, asleep. */
function TimeBreakdown({ block }: { block: Block }): JSX.Element | null {
  const { cpuMs, gcMs = 0, runQueueMs = 0, durationMs } = block;
  if (cpuMs === undefined || durationMs <= 0) return null;
  const parts = [
    { name: 'On CPU', ms: Math.max(0, Math.min(cpuMs, durationMs) - gcMs), tone: 'cpu' },
    { name: 'Garbage collection', ms: gcMs, tone: 'gc' },
    { name: 'Run queue', ms: runQueueMs, tone: 'queue' },
    { name: 'Asleep', ms: Math.max(0, durationMs - cpuMs - runQueueMs), tone: 'asleep' },
  ].filter(({ ms }) => ms / durationMs >= 0.005);
  return (
    <div class="composition">
      <div class="stacked" aria-hidden="true">
        {parts.map(({ name, ms, tone }) => (
          <i key={name} class={tone} style={{ flexGrow: ms }} />
        ))}
      </div>
      <ul class="legend">
        {parts.map(({ name, ms, tone }) => (
          <li key={name}>
            <i class={`swatch ${tone}`} aria-hidden="true" />
            {name} {formatMs(ms)}, {formatShare(ms / durationMs)}
          </li>
        ))}
      </ul>
    </div>
  );
}

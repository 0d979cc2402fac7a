import type { JSX } from 'preact';

import { timeParts, type TimeUse } from '../../model/blocks/block-time.js';
import { cpuWaitSentence } from '../../model/blocks/cpu-wait.js';
import { victimsText } from '../../model/blocks/victims.js';
import { CAUSE_EXPLAINED } from '../../model/text/cause.js';
import { formatInstance, formatMs, formatShare, plural } from '../../model/text/format.js';
import { shownName } from '../../model/text/place.js';
import type { Block, Instance, StackQuality } from '../../model/types.js';

const QUALITY_TEXT: Readonly<Record<StackQuality, string>> = {
  live: 'captured while the code ran',
  post_native:
    'captured when a native call had returned, or when the watchdog had started: this function or what ran before it blocked',
  none: 'none',
};

/** Facts about the block, and how its time divides. */
export function BlockFacts({ block, instance }: { block: Block; instance: Instance | undefined }): JSX.Element {
  const facts: [name: string, value: string | undefined][] = [
    ['Because', block.because],
    ['Request', block.request],
    ['Async resource', block.asyncResource],
    ['Process', instance && formatInstance(instance)],
    ['Thread', block.threadName],
    ['Stack', `${QUALITY_TEXT[block.stackQuality]}, ${plural(block.sampleCount, 'sample')}`],
    ['Victims', victimsText(block)],
    ['Pending', block.pending?.join(', ')],
    [
      'Not reported',
      block.suppressedCount > 0 ? `${plural(block.suppressedCount, 'block')} of the same culprit` : undefined,
    ],
  ];
  return (
    <>
      <p class="explained">{[CAUSE_EXPLAINED[block.cause], cpuWaitSentence(block)].filter(Boolean).join(' ')}</p>
      <TimeBreakdown block={block} />
      <dl class="facts">
        {facts.map(
          ([name, value]) =>
            value !== undefined &&
            value !== '' && (
              <div key={name}>
                <dt>{name}</dt>
                <dd title={value}>{shownName(value)}</dd>
              </div>
            ),
        )}
      </dl>
    </>
  );
}

const TIME_USES: Readonly<Record<TimeUse, { name: string; tone: string }>> = {
  cpu: { name: 'On CPU', tone: 'cpu' },
  gc: { name: 'Garbage collection', tone: 'gc' },
  queue: { name: 'Waiting for CPU', tone: 'queue' },
  asleep: { name: 'Asleep', tone: 'asleep' },
  offCpu: { name: 'Asleep or waiting for CPU', tone: 'asleep' },
};

/** The block's time by state of the thread. */
function TimeBreakdown({ block }: { block: Block }): JSX.Element | null {
  const { durationMs } = block;
  const parts = timeParts(block)
    .filter(({ ms }) => ms / durationMs >= 0.005)
    .map(({ use, ms }) => ({ ...TIME_USES[use], ms }));
  if (parts.length === 0) return null;
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

import type { JSX } from 'preact';
import { useState } from 'preact/hooks';

import { isBlockSpan } from '../../model/blocks/block-span.js';
import { formatMs } from '../../model/text/format.js';
import type { Instance, TraceSpan } from '../../model/types.js';
import { waterfallRows } from '../model/waterfall-rows.js';
import { ShowMore } from '../parts/table/show-more.js';

interface WaterfallProps {
  spans: readonly TraceSpan[];
  blockSpanId: string | undefined;
  victims: ReadonlySet<string>;
  instances: ReadonlyMap<string, Instance>;
}

const FIRST_ROWS = 60;
const MAX_INDENT = 12;

/** The trace of a block on a time axis; blocks and victims are marked. */
export function Waterfall({ spans, blockSpanId, victims, instances }: WaterfallProps): JSX.Element {
  const [showAll, setShowAll] = useState(false);
  const rows = waterfallRows(spans);
  const shown = showAll ? rows : rows.slice(0, FIRST_ROWS);
  const startMs = spans.reduce((start, span) => Math.min(start, span.startMs), Infinity);
  const endMs = spans.reduce((end, span) => Math.max(end, span.endMs), -Infinity);
  const lengthMs = Math.max(endMs - startMs, 0.001);
  const services = new Set(spans.map((span) => instances.get(span.instance)?.service));
  return (
    <>
      <ol class="waterfall">
        {shown.map(({ span, depth }) => {
          const tone = classOf(span, blockSpanId, victims);
          return (
            <li key={span.spanId} class={tone}>
              <span class="label" style={{ paddingLeft: `${Math.min(depth, MAX_INDENT) * 0.8}rem` }} title={span.name}>
                {services.size > 1 && <em>{instances.get(span.instance)?.service} </em>}
                {span.name}
              </span>
              <span class="track">
                <i
                  style={{
                    left: `${((span.startMs - startMs) / lengthMs) * 100}%`,
                    width: `max(2px, ${((span.endMs - span.startMs) / lengthMs) * 100}%)`,
                  }}
                />
              </span>
              <span class="number">{formatMs(span.endMs - span.startMs)}</span>
            </li>
          );
        })}
      </ol>
      {rows.length > shown.length && (
        <ShowMore
          text={`Show all ${rows.length} spans`}
          onClick={() => {
            setShowAll(true);
          }}
        />
      )}
    </>
  );
}

function classOf(span: TraceSpan, blockSpanId: string | undefined, victims: ReadonlySet<string>): string {
  const tones = [
    isBlockSpan(span) ? 'block' : '',
    span.spanId === blockSpanId ? 'this' : '',
    victims.has(span.spanId) ? 'victim' : '',
    span.error ? 'error' : '',
  ];
  return tones.filter(Boolean).join(' ');
}

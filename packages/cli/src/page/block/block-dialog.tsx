import type { JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';

import type { BlockDetail, BlockRow } from '../../model/live/page.js';
import { flameGraph } from '../../model/stacks/flame.js';
import { formatClock, formatMs } from '../../model/text/format.js';
import { isGuess } from '../../model/text/guess.js';
import type { Block, Instance } from '../../model/types.js';
import type { DataSource, Unreachable } from '../data/source.js';
import { BlockedTimeFlame } from '../parts/flame/blocked-time-flame.js';
import { Boundary } from '../parts/frame/boundary.js';
import { CauseLabel } from '../parts/facts/cause.js';
import { FunctionName, PlaceText } from '../parts/code/culprit.js';
import { Program, useProgramOf } from '../parts/code/places.js';
import { TraceLink } from '../parts/facts/trace-link.js';
import { Victims } from '../parts/facts/victims.js';
import { BlockFacts } from './block-facts.js';
import { BlockSourceCode } from './block-source-code.js';
import { StackView } from './stack-view.js';
import { Waterfall } from './waterfall.js';

interface BlockDialogProps {
  source: DataSource;
  blockId: string;
  /** What the list knows of it, for when nothing answers; undefined if it was evicted. */
  row: BlockRow | undefined;
  instances: ReadonlyMap<string, Instance>;
  jaegerUrl: string | undefined;
  onClose: () => void;
}

const LOADING_TEXT = {
  loading: 'Loading…',
  gone: 'This block is no longer in memory.',
  unreachable: 'Loopwatch does not answer.',
};

/** Everything about one block, over the page. */
export function BlockDialog({ source, blockId, row, instances, jaegerUrl, onClose }: BlockDialogProps): JSX.Element {
  const dialog = useRef<HTMLDialogElement>(null);
  const [detail, setDetail] = useState<BlockDetail | Unreachable | 'loading' | 'gone'>('loading');

  useEffect(() => {
    dialog.current?.showModal();
    // Otherwise the browser focuses the close button.
    dialog.current?.focus();
    void source.detail(blockId).then((loaded) => {
      setDetail(loaded ?? 'gone');
    });
  }, [blockId]);

  return (
    <dialog
      ref={dialog}
      class="detail"
      tabIndex={-1}
      aria-labelledby="block-title"
      onClose={onClose}
      onClick={(event) => {
        // The target is the dialog itself only for a click outside its content.
        if (event.target === event.currentTarget) event.currentTarget.close();
      }}
    >
      {detail === 'unreachable' && row ? (
        <>
          <Content
            detail={{ block: row, trace: [], victims: [], sources: {} }}
            instances={instances}
            jaegerUrl={jaegerUrl}
            isWhole={false}
          />
          <p class="nothing">Loopwatch does not answer: it has the source, the stack and the trace.</p>
        </>
      ) : typeof detail === 'string' ? (
        <h2 id="block-title">{LOADING_TEXT[detail]}</h2>
      ) : (
        <Boundary what="This block">
          <Content detail={detail} instances={instances} jaegerUrl={jaegerUrl} />
        </Boundary>
      )}
      <button type="button" class="quiet close" onClick={() => dialog.current?.close()}>
        Close
      </button>
    </dialog>
  );
}

interface ContentProps {
  detail: BlockDetail;
  /** False: without what only the source of the data knows. */
  isWhole?: boolean;
  instances: ReadonlyMap<string, Instance>;
  jaegerUrl: string | undefined;
}

function Content({ detail, instances, jaegerUrl, isWhole = true }: ContentProps): JSX.Element {
  const { block, trace, victims, sources } = detail;
  const instance = instances.get(block.instance);
  return (
    <Program.Provider value={useProgramOf(instance)}>
      <Title block={block} />
      <BlockSourceCode block={block} sources={sources} />
      <BlockFacts block={block} instance={instance} />
      {trace.length > 1 && (
        <section aria-labelledby="block-trace">
          <h3 id="block-trace">Trace</h3>
          <Waterfall
            spans={trace}
            blockSpanId={block.spanId}
            victims={new Set(victims.map(({ spanId }) => spanId))}
            instances={instances}
          />
        </section>
      )}
      {victims.length > 0 && <Victims victims={victims} jaegerUrl={jaegerUrl} />}
      {isWhole && (
        <section aria-labelledby="block-stack">
          <h3 id="block-stack">Stack</h3>
          <StackView block={block} sources={sources} />
        </section>
      )}
      {block.profile !== undefined && (
        <section aria-labelledby="block-flame">
          <h3 id="block-flame">Flame graph of this block</h3>
          <BlockedTimeFlame root={flameGraph([block])} />
        </section>
      )}
      {jaegerUrl !== undefined && block.traceId !== undefined && (
        <p>
          <TraceLink jaegerUrl={jaegerUrl} traceId={block.traceId} text="Open the trace in Jaeger" />
        </p>
      )}
    </Program.Provider>
  );
}

function Title({ block }: { block: Block }): JSX.Element {
  return (
    <header class="detail-head">
      <h2 id="block-title">
        <FunctionName location={block.culprit} guess={isGuess(block)} />{' '}
        <span class="length">{formatMs(block.durationMs)}</span>
      </h2>
      <p>
        <CauseLabel times={block} isLong />
        {block.culprit && <PlaceText location={block.culprit} isLink />}
        <span>{formatClock(block.startMs)}</span>
        {!block.ended && <span class="ongoing">not ended</span>}
      </p>
    </header>
  );
}

import type { ComponentChildren, JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';

import { adviceUrl, adviceVerb, commonKind, kindName } from '../../model/advice/culprit-kind.js';
import type { CulpritDetail } from '../../model/live/page.js';
import { agoText } from '../../model/live/presence.js';
import { lineTimes } from '../../model/stacks/line-times.js';
import { formatDateTime } from '../../model/text/format.js';
import type { Culprit } from '../../model/types.js';
import type { DataSource, Unreachable } from '../data/source.js';
import type { Selection } from '../model/select.js';
import { culpritHref } from '../model/view-state.js';
import { FunctionName, GuessLegend, PlaceText } from '../parts/code/culprit.js';
import { HeatSource } from '../parts/code/heat-source.js';
import { Program, useProgramOf } from '../parts/code/places.js';
import { Sentence } from '../parts/facts/sentence.js';
import { useCurrentView } from '../parts/state/view.js';
import { Waiting } from './waiting.js';

interface CulpritHeadProps {
  source: DataSource;
  /** Key of the culprit. */
  culprit: string;
  selection: Selection;
  jaegerUrl: string | undefined;
  nowMs: number;
  /** Between the source and who waited. */
  children: ComponentChildren;
}

/** The upper part of a culprit's page: what it is, its source, and who waited for it. */
export function CulpritHead(props: CulpritHeadProps): JSX.Element {
  const { source, culprit: key, selection, jaegerUrl, nowMs, children } = props;
  const { view } = useCurrentView();
  const detail = useCulpritDetail(source, selection);
  const culprit = selection.culprits.find((each) => each.key === key);
  // Several versions may have it: its line is that of its longest block, so the commit is, too.
  const shown = selection.blocks.find((block) => block.culprit === culprit?.location);
  const program = useProgramOf(selection.instances.get(shown?.instance ?? ''));
  const back = (
    <p class="back">
      <a href={culpritHref(view, undefined)}>All culprits</a>
    </p>
  );
  if (!culprit) {
    return (
      <section class="card" aria-labelledby="culprit">
        {back}
        <h2 id="culprit">{key.split('\n')[0] || 'No stack'}</h2>
        <p class="nothing">None of its blocks matches the filter, or is still in memory.</p>
      </section>
    );
  }
  return (
    <>
      <section class="card culprit-head" aria-labelledby="culprit">
        {back}
        <h2 id="culprit">
          <FunctionName location={culprit.location} guess={culprit.guess} />
        </h2>
        {culprit.location && (
          <Program.Provider value={program}>
            <PlaceText location={culprit.location} isLink />
          </Program.Provider>
        )}
        {culprit.guess && <GuessLegend />}
        {selection.sentences.map((text) => (
          <Sentence key={text} text={text} />
        ))}
        {culprit.location && (
          <HeatSource
            filePath={culprit.location.filePath}
            times={lineTimes(selection.blocks, culprit.location.filePath, selection.range)}
            sources={typeof detail === 'object' ? detail.sources : {}}
            hint="Blocked time by line: the time of each block is divided among the lines that its samples show."
          />
        )}
        <Facts culprit={culprit} selection={selection} nowMs={nowMs} />
      </section>
      {children}
      <Waiting blocks={selection.blocks} detail={detail} jaegerUrl={jaegerUrl} />
    </>
  );
}

interface FactsProps {
  culprit: Culprit;
  selection: Selection;
  nowMs: number;
}

function Facts({ culprit: { lastMs }, selection: { blocks }, nowMs }: FactsProps): JSX.Element {
  const firstMs = blocks.reduce((first, { startMs }) => Math.min(first, startMs), Infinity);
  const looks = commonKind(blocks);
  return (
    <dl class="facts">
      <div>
        <dt>First seen</dt>
        <dd>{`${formatDateTime(firstMs)}, ${agoText(nowMs - firstMs)}`}</dd>
      </div>
      <div>
        <dt>Last seen</dt>
        <dd>{`${formatDateTime(lastMs)}, ${agoText(nowMs - lastMs)}`}</dd>
      </div>
      {looks && (
        <div>
          <dt>{adviceVerb(looks.isGuess)}</dt>
          <dd>
            <a href={adviceUrl(looks.kind)} target="_blank" rel="noreferrer">
              {kindName(looks.kind)}
            </a>
          </dd>
        </div>
      )}
    </dl>
  );
}

/** Minimum interval between two requests while blocks arrive. */
const MIN_INTERVAL_MS = 2_000;

/** Undefined until it has arrived. What has arrived stays when the source no longer answers. */
function useCulpritDetail(source: DataSource, { filter, blocks }: Selection): CulpritDetail | Unreachable | undefined {
  const [detail, setDetail] = useState<CulpritDetail | Unreachable>();
  const lastMs = useRef(0);
  // Those who waited arrive after the block.
  const revision = blocks.reduce((total, { victimCount = 0 }) => total + 1 + victimCount, 0);
  useEffect(() => {
    let current = true;
    const load = (): void => {
      lastMs.current = Date.now();
      void source.culprit(filter).then((loaded) => {
        if (current) setDetail((old) => (loaded === 'unreachable' ? (old ?? loaded) : loaded));
      });
    };
    const timer = setTimeout(load, Math.max(0, lastMs.current + MIN_INTERVAL_MS - Date.now()));
    return () => {
      current = false;
      clearTimeout(timer);
    };
  }, [source, JSON.stringify({ ...filter, fromMs: undefined }), revision]);
  return detail;
}

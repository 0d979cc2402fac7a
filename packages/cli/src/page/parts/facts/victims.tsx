import type { JSX } from 'preact';
import { useState } from 'preact/hooks';

import { groupVictims, type VictimGroup } from '../../../model/blocks/victims.js';
import { formatMs, plural } from '../../../model/text/format.js';
import { shownName } from '../../../model/text/place.js';
import type { Victim } from '../../../model/types.js';
import { ShowMore } from '../table/show-more.js';
import { TraceLink } from './trace-link.js';

interface VictimsProps {
  victims: readonly Victim[];
  jaegerUrl: string | undefined;
}

const FIRST_ROWS = 10;

/** Spans, usually of other traces, that the block delayed: those of one name together. */
export function Victims({ victims, jaegerUrl }: VictimsProps): JSX.Element {
  return (
    <section aria-labelledby="block-victims">
      <h3 id="block-victims">Victims</h3>
      <VictimGroups groups={groupVictims(victims)} jaegerUrl={jaegerUrl} />
    </section>
  );
}

interface VictimGroupsProps {
  groups: readonly VictimGroup[];
  jaegerUrl: string | undefined;
}

/** Each group opens to its spans, with links to their traces. */
export function VictimGroups({ groups, jaegerUrl }: VictimGroupsProps): JSX.Element {
  return (
    <Rows
      rows={groups.map((group) => (
        <li key={group.name}>
          <Group group={group} jaegerUrl={jaegerUrl} />
        </li>
      ))}
    />
  );
}

function Group({ group, jaegerUrl }: { group: VictimGroup; jaegerUrl: string | undefined }): JSX.Element {
  const { name, count, victims, longestMs } = group;
  const [first] = victims;
  if (count === 1 && first) return <Row victim={first} label={name} jaegerUrl={jaegerUrl} />;
  const noun = victims.every(({ nameKind }) => nameKind !== 'name') ? 'request' : 'span';
  return (
    <details>
      <summary>
        <span title={name}>{shownName(name)}</span>
        <span class="place">{plural(count, noun)}</span>
        <span class="number">waited up to {formatMs(longestMs)}</span>
      </summary>
      <Rows
        rows={victims.map((victim) => (
          <li key={victim.spanId}>
            <Row victim={victim} label={victim.spanId} jaegerUrl={jaegerUrl} />
          </li>
        ))}
      />
      {count > victims.length && <p class="hint">The {victims.length} that waited longest.</p>}
    </details>
  );
}

interface RowProps {
  victim: Victim;
  label: string;
  jaegerUrl: string | undefined;
}

function Row({ victim: { traceId, waitMs, blockCount = 1 }, label, jaegerUrl }: RowProps): JSX.Element {
  // A span that several blocks delayed knows only the sum.
  const wait = waitMs === undefined ? '' : `waited ${blockCount > 1 ? 'at most ' : ''}${formatMs(waitMs)}`;
  return (
    <div>
      <span title={label}>{shownName(label)}</span>
      <span class="number">{wait}</span>
      {jaegerUrl !== undefined && <TraceLink jaegerUrl={jaegerUrl} traceId={traceId} text="Jaeger" />}
    </div>
  );
}

function Rows({ rows }: { rows: readonly JSX.Element[] }): JSX.Element {
  const [showAll, setShowAll] = useState(false);
  return (
    <>
      <ul class="victims">{showAll ? rows : rows.slice(0, FIRST_ROWS)}</ul>
      {!showAll && rows.length > FIRST_ROWS && (
        <ShowMore
          text={`Show all ${rows.length}`}
          onClick={() => {
            setShowAll(true);
          }}
        />
      )}
    </>
  );
}

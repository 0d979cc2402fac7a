import type { JSX } from 'preact';

import { notKeptText } from '../../model/live/not-kept.js';
import type { PageState } from '../../model/live/page.js';
import { skewText } from '../../model/live/presence.js';
import { formatInstance } from '../../model/text/format.js';
import type { Connection } from '../data/source.js';

const MAX_NAMED = 3;

/** What a reader must know before believing the page: the run has ended, clocks differ, or data is missing. */
export function Notices({ state, connection }: { state: PageState; connection: Connection }): JSX.Element | null {
  const texts = [endText(connection), clocksText(state), state.notKept && notKeptText(state.notKept)].filter(
    (text) => text !== undefined,
  );
  if (texts.length === 0) return null;
  return (
    <div class="notices" role="status">
      {texts.map((text) => (
        <p key={text}>{text}</p>
      ))}
    </div>
  );
}

function endText(connection: Connection): string | undefined {
  if (connection === 'ended') {
    return 'Loopwatch has ended. What had arrived until then stays here; stacks and traces that were not opened before went with it.';
  }
  if (connection === 'lost') {
    return 'Loopwatch does not answer. What had arrived until then stays here; stacks and traces come back with it.';
  }
  return undefined;
}

function clocksText({ seen, instances }: PageState): string | undefined {
  const names = new Map(instances.map((instance) => [instance.id, formatInstance(instance)]));
  const skewed = seen.flatMap((each) => {
    const text = skewText(each);
    return text === undefined ? [] : [`${names.get(each.instance) ?? each.instance} (${text})`];
  });
  if (skewed.length === 0) return undefined;
  const others = skewed.length > MAX_NAMED ? ` and ${skewed.length - MAX_NAMED} more` : '';
  return `Times may be wrong, compared with the clock of Loopwatch: ${skewed.slice(0, MAX_NAMED).join(', ')}${others}.`;
}

import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';

import { largest } from '../../model/collections.js';
import { functionChangeText } from '../../model/compare/busy-comparison.js';
import { signedMs, signedShare } from '../../model/compare/change.js';
import type { ComparisonReport } from '../../model/compare/comparison-report.js';
import { formatMs } from '../../model/text/format.js';
import { Sentence } from '../parts/facts/sentence.js';
import { Stat } from '../parts/facts/stat.js';
import { useTheme } from '../parts/state/theme.js';
import { TopBar } from '../parts/frame/top-bar.js';
import { useView, View } from '../parts/state/view.js';
import { ComparisonTable } from './comparison-table.js';
import { DifferenceCard } from './difference-card.js';

/** The report of a comparison: what has changed, and where in the code. */
export function ComparisonPage({ report }: { report: ComparisonReport }): JSX.Element {
  const { builds, headline, sentence, caveats, comparison, flames } = report;
  const [theme, toggleTheme] = useTheme();
  const [view, show] = useView();
  /** Name of the function that is marked in the flame graph. */
  const [marked, setMarked] = useState<string>();
  useEffect(() => {
    document.title = `${builds} · Loopwatch`;
  }, [builds]);
  return (
    <View.Provider value={{ view, show }}>
      <TopBar subject={<span class="builds">Comparison of {builds}</span>} theme={theme} onToggleTheme={toggleTheme} />
      <main>
        {caveats.length > 0 && (
          <div class="notices">
            {caveats.map((text) => (
              <p key={text}>{text}</p>
            ))}
          </div>
        )}
        <Figures report={report} />
        {sentence === undefined ? <p>{headline}</p> : <Sentence text={sentence} />}
        {comparison.busy && comparison.busy.length > 0 && (
          <div class="remarks">
            {comparison.busy.map((item) => (
              <p key={item.key}>{functionChangeText(item)}</p>
            ))}
          </div>
        )}
        {comparison.culprits.length > 0 && (
          <>
            <ComparisonTable comparison={comparison} headline={headline} marked={marked} onMark={setMarked} />
            <DifferenceCard flames={flames} marked={marked} />
          </>
        )}
      </main>
    </View.Provider>
  );
}

function Figures({ report: { comparison, flames } }: { report: ComparisonReport }): JSX.Element {
  const { culprits } = comparison;
  const times = { baseMs: flames.base.value, headMs: flames.head.value };
  const longestMs = (side: 'base' | 'head'): string =>
    formatMs(
      largest(
        culprits.map((culprit) => culprit[side].longestMs),
        0,
      ),
    );
  const count = (side: 'base' | 'head'): string =>
    culprits.reduce((total, culprit) => total + culprit[side].meanCount, 0).toFixed(1);
  return (
    <dl class="stats">
      <Stat
        name="Time blocked in a run"
        value={`${formatMs(times.baseMs)} → ${formatMs(times.headMs)}`}
        note={`${signedMs(times)}, ${signedShare(times)}`}
      />
      <Stat name="Longest block" value={`${longestMs('base')} → ${longestMs('head')}`} note="of all runs" />
      <Stat name="Blocks in a run" value={`${count('base')} → ${count('head')}`} note="mean of the runs" />
    </dl>
  );
}

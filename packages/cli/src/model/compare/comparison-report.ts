import { type ComparedFlames, comparedFlames } from './compared-flame.js';
import type { ComparedCulprit, ComparedRecording, Comparison } from './comparison.js';
import { caveats, comparedBuilds, comparisonSentence, headline, urlOfCompared } from './comparison-text.js';

/** Id of the element of the HTML report that holds the comparison: gzip, as base64. */
export const COMPARISON_DATA_ID = 'loopwatch-comparison';

/** A comparison of two builds, as `compare --report` shows it. */
export interface ComparisonReport {
  readonly loopwatchVersion: string;
  /** `3 runs of 1.2.0 with 3 runs of 1.3.0` */
  readonly builds: string;
  readonly headline: string;
  /** About the culprit to look at first. */
  readonly sentence?: string;
  readonly caveats: readonly string[];
  readonly comparison: Comparison & { readonly culprits: readonly ReportedCulprit[] };
  readonly flames: ComparedFlames;
}

export interface ReportedCulprit extends ComparedCulprit {
  /** Address of its line in the repository at the commit that ran, where it is known. */
  readonly url?: string;
}

/** What the report shows of the recordings of two builds. */
export function createComparisonReport(
  comparison: Comparison,
  base: readonly ComparedRecording[],
  head: readonly ComparedRecording[],
  loopwatchVersion: string,
): ComparisonReport {
  const sentence = comparisonSentence(comparison, head);
  const culprits = comparison.culprits.map((culprit): ReportedCulprit => {
    const url = urlOfCompared(culprit, base, head);
    return url === undefined ? culprit : { ...culprit, url };
  });
  return {
    loopwatchVersion,
    builds: comparedBuilds(base, head),
    headline: headline(comparison),
    ...(sentence !== undefined && { sentence }),
    caveats: caveats(comparison, base, head),
    comparison: { ...comparison, culprits },
    flames: comparedFlames(base, head, comparison.thresholdMs),
  };
}

import { functionChangeText } from '../../model/compare/busy-comparison.js';
import type { Comparison, ComparedCulprit, ComparedRecording, Verdict } from '../../model/compare/comparison.js';
import {
  caveats,
  changeText,
  comparedBuilds,
  comparisonSentence,
  evidenceText,
  functionOfCompared,
  headline,
} from '../../model/compare/comparison-text.js';
import { formatMs } from '../../model/text/format.js';
import { GUESS_LEGEND } from '../../model/text/guess.js';
import type { LineStyle } from './block-line.js';
import type { Colors } from './colors.js';
import { culpritSegments } from './culprit-segments.js';
import { renderLine, type Segment, wrapSegments, wrapText } from './line.js';

const VERDICT_WIDTH = 9;

/** The comparison as lines: the culprits that changed, then what the reader has to know, and the sentence. */
export function comparisonLines(
  comparison: Comparison,
  base: readonly ComparedRecording[],
  head: readonly ComparedRecording[],
  style: LineStyle,
): string[] {
  const { colors, columns } = style;
  const shown = comparison.culprits.filter(({ verdict }) => verdict !== 'same');
  const notes = [...caveats(comparison, base, head), ...(shown.some(({ guess }) => guess) ? [GUESS_LEGEND] : [])];
  const sentence = comparisonSentence(comparison, head);
  return [
    ...wrapText(`Compared ${comparedBuilds(base, head)}.`, undefined, columns),
    ...shown.flatMap((culprit) => culpritLines(culprit, comparison, style)),
    ...wrapText(headline(comparison), undefined, columns),
    ...(comparison.busy ?? []).flatMap((item) => wrapText(functionChangeText(item), undefined, columns)),
    ...notes.flatMap((note) => wrapText(note, colors.dim, columns)),
    ...(sentence === undefined ? [] : wrapText(sentence, undefined, columns)),
  ];
}

function culpritLines(culprit: ComparedCulprit, comparison: Comparison, style: LineStyle): string[] {
  const { colors, columns } = style;
  const verdict: Segment = {
    text: culprit.verdict.padEnd(VERDICT_WIDTH),
    style: colorOf(culprit.verdict, colors),
  };
  const { location, directory } = culprit;
  const name: Segment[] = location
    ? culpritSegments(functionOfCompared(culprit), location, { colors, directory }, columns - VERDICT_WIDTH)
    : [{ text: functionOfCompared(culprit), style: colors.dim }];
  const { requests } = culprit;
  const isInRequest = requests.length > 0;
  const longestMs = Math.max(culprit.head.longestMs, culprit.base.longestMs);
  const facts: Segment[] = [
    { text: `${' '.repeat(VERDICT_WIDTH)}${changeText(culprit)} a run,` },
    { text: ` longest ${formatMs(longestMs)}${isInRequest ? ',' : ''}` },
    ...(isInRequest ? [{ text: ` in ${requests.length === 1 ? requests[0]! : `${requests.length} requests`}` }] : []),
    { text: `  ${evidenceText(culprit, comparison)}`, style: colors.dim },
  ];
  return [renderLine([verdict, ...name], columns), ...wrapSegments(facts, columns)];
}

function colorOf(verdict: Verdict, colors: Colors): (text: string) => string {
  if (verdict === 'new' || verdict === 'worse') return colors.red;
  return verdict === 'gone' || verdict === 'better' ? colors.green : colors.dim;
}

import { functionChangeText } from '../../model/compare/busy-comparison.js';
import {
  type ComparedCulprit,
  type ComparedRecording,
  type Comparison,
  VERDICTS,
} from '../../model/compare/comparison.js';
import {
  caveats,
  changeText,
  comparedBuilds,
  comparisonSentence,
  evidenceText,
  functionOfCompared,
  headline,
  placeOfCompared,
  urlOfCompared,
} from '../../model/compare/comparison-text.js';
import { formatMs, plural } from '../../model/text/format.js';
import { GUESS_LEGEND } from '../../model/text/guess.js';
import { code, escaped, link, row } from './markdown.js';

/** Rows of the table. A pull request is no place for all of a noisy project's culprits. */
const MAX_ROWS = 30;

/** The comparison for a pull request. */
export function comparisonMarkdown(
  comparison: Comparison,
  base: readonly ComparedRecording[],
  head: readonly ComparedRecording[],
): string {
  const changed = comparison.culprits.filter(({ verdict }) => verdict !== 'same');
  const shown = changed.slice(0, MAX_ROWS);
  const rest = changed.length - shown.length;
  const sentence = comparisonSentence(comparison, head);
  const notes = [
    ...caveats(comparison, base, head),
    ...(shown.some(({ guess }) => guess) ? [GUESS_LEGEND] : []),
    ...(rest > 0 ? [`${plural(rest, 'more culprit')} changed.`] : []),
  ];
  return [
    '### Event loop blocks',
    '',
    `${escaped(headline(comparison))} Compared ${escaped(comparedBuilds(base, head))}.`,
    ...(sentence === undefined ? [] : ['', escaped(sentence)]),
    ...(shown.length > 0 ? ['', ...table(shown, comparison, base, head)] : []),
    ...(comparison.busy ?? []).slice(0, MAX_ROWS).flatMap((item) => ['', escaped(functionChangeText(item))]),
    ...notes.flatMap((note) => ['', `_${escaped(note)}_`]),
    '',
  ].join('\n');
}

function table(
  culprits: readonly ComparedCulprit[],
  comparison: Comparison,
  base: readonly ComparedRecording[],
  head: readonly ComparedRecording[],
): string[] {
  return [
    '| | culprit | blocked in a run | longest | request | evidence |',
    '| --- | --- | --- | --- | --- | --- |',
    ...culprits.map((culprit) => {
      return row([
        bold(culprit),
        nameCell(culprit, urlOfCompared(culprit, base, head)),
        escaped(changeText(culprit)),
        formatMs(Math.max(culprit.head.longestMs, culprit.base.longestMs)),
        culprit.requests.map(code).join('<br>'),
        escaped(evidenceText(culprit, comparison)),
      ]);
    }),
  ];
}

function bold({ verdict }: ComparedCulprit): string {
  return VERDICTS.indexOf(verdict) < VERDICTS.indexOf('gone') ? `**${verdict}**` : verdict;
}

function nameCell(culprit: ComparedCulprit, url: string | undefined): string {
  const place = placeOfCompared(culprit);
  if (place === '') return escaped(functionOfCompared(culprit));
  const shown = url === undefined ? code(place) : link(code(place), url);
  return `${code(functionOfCompared(culprit))}<br>${shown}`;
}

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
import { shownName } from '../../model/text/place.js';
import { code, escaped, link, row } from './markdown.js';

/** Rows of the table. A pull request is no place for all of a noisy project's culprits. */
const MAX_ROWS = 30;
/** Requests of a row: where they are known by their paths alone, there can be thousands. */
const MAX_REQUESTS = 5;
/** GitHub takes no comment of more than 65,536 characters. */
const MAX_TABLE_CHARACTERS = 40_000;
const MAX_BUSY_CHARACTERS = 15_000;
const MAX_SENTENCE_CHARACTERS = 2_000;

/** The comparison for a pull request. */
export function comparisonMarkdown(
  comparison: Comparison,
  base: readonly ComparedRecording[],
  head: readonly ComparedRecording[],
): string {
  const changed = comparison.culprits.filter(({ verdict }) => verdict !== 'same');
  const rows = whatFits(
    changed.slice(0, MAX_ROWS).map((culprit) => rowOf(culprit, comparison, base, head)),
    MAX_TABLE_CHARACTERS,
  );
  const shown = changed.slice(0, rows.length);
  const rest = changed.length - shown.length;
  const sentence = comparisonSentence(comparison, head)?.slice(0, MAX_SENTENCE_CHARACTERS);
  const busy = (comparison.busy ?? []).slice(0, MAX_ROWS).map((item) => escaped(functionChangeText(item)));
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
    ...(rows.length > 0 ? ['', ...TABLE_HEAD, ...rows] : []),
    ...whatFits(busy, MAX_BUSY_CHARACTERS).flatMap((text) => ['', text]),
    ...notes.flatMap((note) => ['', `_${escaped(note)}_`]),
    '',
  ].join('\n');
}

/** The first of the lines, together of at most so many characters. */
function whatFits(lines: readonly string[], maxCharacters: number): string[] {
  let left = maxCharacters;
  const end = lines.findIndex((line) => (left -= line.length) < 0);
  return lines.slice(0, end < 0 ? lines.length : end);
}

const TABLE_HEAD = [
  '| | culprit | blocked in a run | longest | request | evidence |',
  '| --- | --- | --- | --- | --- | --- |',
];

function rowOf(
  culprit: ComparedCulprit,
  comparison: Comparison,
  base: readonly ComparedRecording[],
  head: readonly ComparedRecording[],
): string {
  return row([
    bold(culprit),
    nameCell(culprit, urlOfCompared(culprit, base, head)),
    escaped(changeText(culprit)),
    formatMs(Math.max(culprit.head.longestMs, culprit.base.longestMs)),
    requestsCell(culprit.requests),
    escaped(evidenceText(culprit, comparison)),
  ]);
}

function requestsCell(requests: readonly string[]): string {
  const rest = requests.length - MAX_REQUESTS;
  const shown = requests.slice(0, MAX_REQUESTS).map((name) => code(shownName(name)));
  return [...shown, ...(rest > 0 ? [`and ${rest} more`] : [])].join('<br>');
}

function bold({ verdict }: ComparedCulprit): string {
  return VERDICTS.indexOf(verdict) < VERDICTS.indexOf('gone') ? `**${verdict}**` : verdict;
}

function nameCell(culprit: ComparedCulprit, url: string | undefined): string {
  const place = placeOfCompared(culprit);
  const name = shownName(functionOfCompared(culprit));
  if (place === '') return escaped(name);
  const shown = url === undefined ? code(place) : link(code(place), url);
  return `${code(name)}<br>${shown}`;
}

import { countBlocks } from '../../model/blocks/culprits.js';
import { sentenceOf } from '../../model/blocks/sentence.js';
import type { Recording } from '../../model/recording/recording.js';
import { formatMs, formatShare, plural } from '../../model/text/format.js';
import { functionOfCulprit, GUESS_LEGEND } from '../../model/text/guess.js';
import { formatPlace } from '../../model/text/place.js';
import { sourceUrl } from '../../model/text/source-url.js';
import { code, escaped, link, row } from './markdown.js';

/** Rows of the table. The report has all. */
const MAX_ROWS = 30;

/** A run for the summary of a CI job. `result` says why it fails; `remarks` are sentences about what blocks do not show. */
export function runMarkdown(recording: Recording, result: string | undefined, remarks: readonly string[]): string {
  const { blocks, culprits, directory } = recording;
  const totalMs = culprits.reduce((total, culprit) => total + culprit.totalMs, 0);
  const shown = culprits.slice(0, MAX_ROWS);
  const rest = culprits.length - shown.length;
  const sentence = sentenceOf(blocks, { directory });
  const head = headOf(recording, totalMs);
  return [
    '### Event loop blocks',
    ...(result === undefined ? [] : ['', `**${escaped(result)}**`]),
    ...(head === undefined ? [] : ['', escaped(head)]),
    ...(sentence === undefined ? [] : ['', escaped(sentence)]),
    ...(shown.length === 0 ? [] : ['', ...table(shown, recording, totalMs)]),
    ...(rest > 0 ? ['', `_${plural(rest, 'more culprit')}._`] : []),
    ...(shown.some(({ guess }) => guess) ? ['', `_${escaped(GUESS_LEGEND)}_`] : []),
    ...remarks.flatMap((remark) => ['', `_${escaped(remark)}_`]),
    '',
  ].join('\n');
}

/** Undefined where nothing was watched, which a remark says. */
function headOf(
  { blocks, culprits, processes, durationMs, thresholdMs }: Recording,
  totalMs: number,
): string | undefined {
  const time = formatMs(durationMs);
  if (blocks.length > 0) {
    return `${plural(countBlocks(blocks), 'block')} by ${plural(culprits.length, 'culprit')} in ${time}, ${formatMs(totalMs)} blocked.`;
  }
  return processes.length > 0 ? `No block of ${formatMs(thresholdMs)} or longer in ${time}.` : undefined;
}

function table(culprits: Recording['culprits'], recording: Recording, allMs: number): string[] {
  return [
    '| culprit | blocks | blocked | longest | share | request |',
    '| --- | ---: | ---: | ---: | ---: | --- |',
    ...culprits.map((culprit) =>
      row([
        nameCell(culprit, recording),
        String(culprit.count + culprit.suppressedCount),
        formatMs(culprit.totalMs),
        formatMs(culprit.longestMs),
        formatShare(allMs > 0 ? culprit.totalMs / allMs : 0),
        culprit.requests.map(code).join('<br>'),
      ]),
    ),
  ];
}

function nameCell(culprit: Recording['culprits'][number], recording: Recording): string {
  const { location, cause } = culprit;
  const name = functionOfCulprit(culprit);
  if (!location || name === undefined) return escaped(`no stack (${cause})`);
  const place = code(formatPlace(location, recording.directory));
  const url = sourceUrl(location, recording);
  return `${code(name)}<br>${url === undefined ? place : link(place, url)}`;
}

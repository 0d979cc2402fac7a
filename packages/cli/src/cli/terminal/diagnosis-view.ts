import type { Diagnosis } from '../../model/processes/diagnosis.js';
import type { LineStyle } from './block-line.js';
import { renderLine, wrapText } from './line.js';

const INDENT = 4;

/** The lines of a diagnosis. */
export function diagnosisLines(
  { subject, observations, findings }: Diagnosis,
  { colors, columns }: LineStyle,
): string[] {
  const width = Math.max(0, ...observations.map(({ label }) => label.length));
  const count = findings.length === 1 ? 'One finding' : `${findings.length || 'No'} findings`;
  return [
    renderLine([{ text: 'loopwatch doctor', style: colors.bold }, { text: `  ${subject}` }], columns),
    ...observations.map(({ label, text }) =>
      renderLine([{ text: `  ${label.padEnd(width)}  `, style: colors.dim }, { text }], columns),
    ),
    '',
    renderLine([{ text: count, style: findings.length === 0 ? colors.green : colors.yellow }], columns),
    ...findings.flatMap(({ rule, summary, remedy }) => [
      '',
      renderLine([{ text: rule, style: colors.bold }], columns),
      ...indented(summary),
      ...indented(remedy, colors.cyan),
    ]),
  ];

  function indented(text: string, style?: (line: string) => string): string[] {
    return text
      .split('\n')
      .flatMap((line) => wrapText(line, style, columns - INDENT))
      .map((line) => ' '.repeat(INDENT) + line);
  }
}

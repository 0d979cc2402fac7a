import type { HttpAnswer } from '../run/serve.ts';

/** What a user sees of a run: its noise is replaced already. */
export interface Outcome {
  readonly exitCode: number | null;
  readonly signal: string | null;
  readonly timedOut: boolean;
  readonly stdout: string;
  readonly stderr: string;
  readonly answers: readonly HttpAnswer[];
}

/** What differs between a run and the run that it is compared with, one sentence each. */
export function differencesBetween(base: Outcome, other: Outcome): string[] {
  return [
    ...(endOf(base) === endOf(other) ? [] : [`ended by ${endOf(other)}, not by ${endOf(base)}`]),
    ...differenceOfTexts('stdout', base.stdout, other.stdout),
    ...differenceOfTexts('stderr', base.stderr, other.stderr),
    ...differencesOfAnswers(base.answers, other.answers),
  ];
}

function endOf({ exitCode, signal, timedOut }: Outcome): string {
  if (timedOut) return 'the kill timer';
  return signal ?? `exit code ${exitCode}`;
}

function differenceOfTexts(name: string, base: string, other: string): string[] {
  if (base === other) return [];
  const baseLines = base.split('\n');
  const otherLines = other.split('\n');
  const added = otherLines.find((line) => !baseLines.includes(line));
  const missing = baseLines.find((line) => !otherLines.includes(line));
  const parts = [
    ...(added === undefined ? [] : [`has "${short(added)}"`]),
    ...(missing === undefined ? [] : [`lacks "${short(missing)}"`]),
  ];
  return [`${name} ${parts.length === 0 ? 'has its lines in another order' : parts.join(' and ')}`];
}

function differencesOfAnswers(base: readonly HttpAnswer[], other: readonly HttpAnswer[]): string[] {
  const count = Math.max(base.length, other.length);
  for (let index = 0; index < count; index++) {
    const [expected, got] = [textOf(base[index]), textOf(other[index])];
    if (expected !== got) return [`answer ${index + 1}: ${got}, not ${expected}`];
  }
  return [];
}

function textOf(answer: HttpAnswer | undefined): string {
  if (answer === undefined) return 'none';
  return `${answer.request} ${answer.status} ${answer.contentType} ${answer.body}`;
}

function short(line: string): string {
  return line.length > 160 ? `${line.slice(0, 160)}…` : line;
}

import { plural } from './format.js';

/** Of the normal distribution: 95 of 100 intervals contain the truth. */
const Z = 1.96;

/** An interval of the share that `hits` of `count` show, by Wilson's score: it is right also for few and for rare ones. */
export function shareInterval(hits: number, count: number): { readonly low: number; readonly high: number } {
  if (count <= 0) return { low: 0, high: 1 };
  const share = hits / count;
  const squared = Z * Z;
  const centre = share + squared / (2 * count);
  const half = Z * Math.sqrt((share * (1 - share)) / count + squared / (4 * count * count));
  const scale = 1 + squared / count;
  return { low: Math.max(0, (centre - half) / scale), high: Math.min(1, (centre + half) / scale) };
}

/** `560 answers, ± 5 points at most`: how precise the shares are that so many answers show. */
export function precisionText(answers: number): string {
  const points = Math.ceil(100 * (shareInterval(answers / 2, answers).high - 0.5));
  return `${plural(answers, 'answer')}, ± ${plural(points, 'point')} at most`;
}

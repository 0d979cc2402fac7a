import { adviceText, kindOf } from '../../src/model/advice/culprit-kind.js';

/** As the sentence says it: `Looks like a nested scan`; empty where it says nothing. */
export function adviceOn(...judged: Parameters<typeof kindOf>): string {
  const kind = kindOf(...judged);
  return kind === undefined ? '' : adviceText(kind).split(':')[0]!;
}

/**
 * Two versions of a document are compared line by line with a table of the longest common subsequence.
 * @culprit diffLines
 * @cause javascript
 * @parent compare-versions
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { trace } from '@opentelemetry/api';
import truth from '../kit/truth.cjs';

const before = Array.from({ length: 5000 }, (_, index) => `line ${index % 700} of the contract`);
const after = before.map((line, index) => (index % 9 === 0 ? `${line}, amended` : line)).reverse();

// <culprit>
function diffLines(oldLines, newLines) {
  const lengths = oldLines.map(() => new Uint16Array(newLines.length + 1));
  lengths.push(new Uint16Array(newLines.length + 1));
  for (let i = oldLines.length - 1; i >= 0; i -= 1) {
    for (let j = newLines.length - 1; j >= 0; j -= 1) {
      lengths[i][j] =
        oldLines[i] === newLines[j] ? lengths[i + 1][j + 1] + 1 : Math.max(lengths[i + 1][j], lengths[i][j + 1]);
    }
  }
  return oldLines.length + newLines.length - 2 * lengths[0][0];
}
// </culprit>

await trace.getTracer('contracts').startActiveSpan('compare-versions', async (span) => {
  await sleep(300);
  truth.begin();
  span.setAttribute('changes', diffLines(before, after));
  truth.end();
  span.end();
});

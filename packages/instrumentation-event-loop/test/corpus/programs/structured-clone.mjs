/**
 * A state history keeps a structured clone of every version.
 * @culprit remember
 * @cause native javascript
 * @parent none
 */
import { setTimeout as sleep } from 'node:timers/promises';
import truth from '../kit/truth.cjs';

const document = {
  blocks: Array.from({ length: 5000 }, (_, id) => ({ id, text: `block ${id}`, marks: new Map([['bold', [0, id]]]) })),
};
const history = [];

// <culprit>
function remember(state) {
  history.push(structuredClone(state));
  if (history.length > 3) history.shift();
}
// </culprit>

await sleep(300);
truth.begin();
const until = performance.now() + 400;
while (performance.now() < until) remember(document);
truth.end();

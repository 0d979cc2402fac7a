// A message catalogue that is indexed when it is loaded.
import truth from '../../kit/truth.cjs';

export const messages = new Map();

// <culprit>
truth.begin();
const until = performance.now() + 400;
let key = 0;
while (performance.now() < until) {
  let hash = 0;
  const text = `message-${key % 5000}`;
  for (let round = 0; round < 40; round += 1) {
    for (let index = 0; index < text.length; index += 1) hash = (hash * 33 + text.charCodeAt(index)) | 0;
  }
  messages.set(hash % 5000, text);
  key += 1;
}
truth.end();
// </culprit>

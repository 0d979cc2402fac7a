'use strict';
/**
 * A search index is built in one immediate, in an arrow function kept in an object.
 * @culprit buildIndex
 * @cause javascript gc native
 * @parent none
 * @resource Immediate
 */
const truth = require('../kit/truth.cjs');

const documents = Array.from({ length: 300 }, (_, id) => ({
  id,
  text: `document ${id} about topic ${id % 17} `.repeat(20),
}));

// <culprit>
const indexer = {
  buildIndex: (list) => {
    const index = new Map();
    for (const { id, text } of list) {
      for (const word of text.split(/\W+/)) {
        if (!index.has(word)) index.set(word, new Set());
        index.get(word).add(id);
      }
    }
    return index;
  },
};
// </culprit>

setTimeout(() => {
  setImmediate(() => {
    truth.begin();
    const until = performance.now() + 400;
    while (performance.now() < until) indexer.buildIndex(documents);
    truth.end();
  });
}, 300);

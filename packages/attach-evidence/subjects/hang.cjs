'use strict';
// Hangs for ever in the given way. Prints `ready` before.
const [, , way] = process.argv;
const orders = Array.from({ length: 20_000 }, (_, id) => ({ id, lines: [{ sku: `sku-${id}`, amount: id % 9 }] }));

const ways = {
  json: function exportOrders() {
    // Calls a function of its own: an optimised loop that calls built-in functions alone hardly checks for interrupts.
    for (;;) orders.map((order) => JSON.stringify(order));
  },
  forAwait: async function readEverything() {
    async function* values() {
      for (let value = 0; ; value++) yield value;
    }
    let sum = 0;
    for await (const value of values()) sum += value;
    console.log(sum);
  },
};

console.log('ready');
setTimeout(() => void ways[way](), 100);

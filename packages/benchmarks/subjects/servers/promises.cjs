'use strict';
// A service that awaits a lot and computes little: a request loads a list, each entry through layers of async
// functions, as repositories, caches and policies do. A request has about 400 awaits, two of which wait for a loop
// iteration.
const { setImmediate: nextIteration } = require('node:timers/promises');

const ENTRIES = 20;
const LAYERS = 8;

const store = new Map(Array.from({ length: 500 }, (_, id) => [id, { id, name: `entry ${id}`, owner: id % 7 }]));

async function throughLayers(id, layer) {
  if (layer === 0) return store.get(id);
  const entry = await throughLayers(id, layer - 1);
  return layer % 4 === 0 ? { ...entry } : entry;
}

async function load(id) {
  const entry = await throughLayers(id, LAYERS);
  const [owner, isVisible] = await Promise.all([ownerOf(entry), isVisibleTo(entry, 3)]);
  return { ...entry, owner, isVisible };
}

async function ownerOf({ owner }) {
  return `user ${owner}`;
}

async function isVisibleTo({ owner }, user) {
  return owner !== user;
}

let next = 0;

module.exports = async function handle(_request, response) {
  const first = (next = (next + 7) % 480);
  const entries = [];
  await nextIteration();
  for (let offset = 0; offset < ENTRIES; offset++) entries.push(await load(first + offset));
  await nextIteration();
  response.setHeader('content-type', 'application/json');
  response.end(JSON.stringify(entries));
};

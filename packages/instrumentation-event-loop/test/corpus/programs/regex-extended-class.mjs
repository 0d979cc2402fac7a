/**
 * A pattern of a class that extends RegExp, with nested quantifiers, meets a path that almost matches.
 * @culprit isListing
 * @cause native
 * @parent match-route
 * @resource Timeout
 */
import { trace } from '@opentelemetry/api';
import truth from '../kit/truth.cjs';

class Route extends RegExp {
  constructor(pattern, name) {
    super(pattern);
    this.name = name;
  }
}

const listing = new Route('^(?:/[a-z]*)*/list$', 'listing');
const segments = new Route('^(?:[a-z]+-?)+$', 'segments');

// <culprit>
function isListing(path) {
  const hasSegments = segments.test(path);
  return hasSegments && listing.test(`/${path}`);
}
// </culprit>

// At start-up, before the loop runs: how many letters take this machine about 400 ms.
let letters = 18;
for (let took = 0; took < 400; letters += 1) {
  const started = performance.now();
  isListing(`${'a'.repeat(letters)}!`);
  took = performance.now() - started;
}

trace.getTracer('router').startActiveSpan('match-route', (span) => {
  setTimeout(() => {
    truth.begin();
    isListing(`${'a'.repeat(letters - 1)}!`);
    truth.end();
    span.end();
  }, 300);
});

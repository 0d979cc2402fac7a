/**
 * A minified bundle without maps: the place is the bundle's, the name is the minifier's.
 * @run bundle-unmapped.min.cjs
 * @culprit *
 * @file bundle-unmapped.min.cjs
 * @cause javascript
 * @parent quote
 * @resource Timeout
 */
import { trace } from '@opentelemetry/api';
import truth from '../kit/truth.cjs';

const rates = Array.from({ length: 3000 }, (_, index) => ({ from: index * 3, to: index * 3 + 2, perKilo: index % 11 }));

function rateFor(weight) {
  return rates.find(({ from, to }) => weight >= from && weight <= to)?.perKilo ?? 0;
}

function quote(parcels, until) {
  let price = 0;
  while (performance.now() < until) for (const parcel of parcels) price += parcel * rateFor(parcel);
  return price;
}

trace.getTracer('shipping').startActiveSpan('quote', (span) => {
  setTimeout(() => {
    truth.begin();
    quote(
      Array.from({ length: 500 }, (_, index) => 4000 + index * 9),
      performance.now() + 400,
    );
    truth.end();
    span.end();
  }, 300);
});

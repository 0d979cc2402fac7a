/**
 * An aggregate is rebuilt from its events by a reducer that copies the state for each of them.
 * @culprit applyEvent
 * @cause javascript
 * @parent rebuild
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { trace } from '@opentelemetry/api';
import truth from '../kit/truth.cjs';

const events = Array.from({ length: 900 }, (_, id) => ({
  type: id % 3 === 0 ? 'removed' : 'added',
  sku: `s${id % 200}`,
}));

// <culprit>
function applyEvent(cart, { type, sku }) {
  switch (type) {
    case 'added':
      return { ...cart, [sku]: (cart[sku] ?? 0) + 1 };
    default: {
      const { [sku]: removed, ...rest } = cart;
      return rest;
    }
  }
}

const replay = (history) => history.reduce(applyEvent, {});
// </culprit>

await trace.getTracer('carts').startActiveSpan('rebuild', async (span) => {
  const [history] = await Promise.all([sleep(300, events)]);
  truth.begin();
  const until = performance.now() + 400;
  while (performance.now() < until) replay(history);
  truth.end();
  span.end();
});

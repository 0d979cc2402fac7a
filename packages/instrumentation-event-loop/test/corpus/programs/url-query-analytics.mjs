/**
 * An analytics import parses the address of every page view to count its campaigns.
 * @culprit countCampaigns
 * @cause javascript native gc
 * @parent import-views
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { trace } from '@opentelemetry/api';
import truth from '../kit/truth.cjs';

const views = Array.from(
  { length: 60_000 },
  (_, id) => `https://shop.example/products/${id % 300}?utm_campaign=c${id % 17}&utm_source=mail&ref=${id}#top`,
);

// <culprit>
function countCampaigns(addresses) {
  const counts = {};
  for (const address of addresses) {
    const { searchParams, pathname } = new URL(address);
    const key = `${pathname} ${searchParams.get('utm_campaign')}`;
    counts[key] = (counts[key] ?? 0) + 1;
  }
  return counts;
}
// </culprit>

await trace.getTracer('analytics').startActiveSpan('import-views', async (span) => {
  await sleep(300);
  truth.begin();
  const until = performance.now() + 350;
  while (performance.now() < until) countCampaigns(views);
  truth.end();
  span.end();
});

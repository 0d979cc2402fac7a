/**
 * A client collects the answer of another service and validates it when its stream ends.
 * @culprit validateFeed
 * @cause javascript
 * @parent sync-feed
 */
import http from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { trace } from '@opentelemetry/api';
import truth from '../kit/truth.cjs';

const feed = JSON.stringify(
  Array.from({ length: 3000 }, (_, id) => ({ id, url: `https://example.org/${id}`, tags: [] })),
);
const server = http.createServer((request, response) => response.end(feed));
await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));

// <culprit>
function validateFeed(entries) {
  const problems = [];
  for (const entry of entries) {
    if (entries.some((other) => other !== entry && other.url === entry.url)) problems.push(`duplicate ${entry.url}`);
  }
  return problems;
}
// </culprit>

const fetchFeed = () =>
  new Promise((resolve, reject) => {
    const request = { port: server.address().port, host: '127.0.0.1', agent: false };
    http
      .get(request, (response) => {
        let body = '';
        response.setEncoding('utf8').on('data', (text) => (body += text));
        response.on('end', () => {
          truth.begin();
          const entries = JSON.parse(body);
          const until = performance.now() + 400;
          do {
            validateFeed(entries.slice(0, 1200));
          } while (performance.now() < until);
          truth.end();
          resolve(entries.length);
        });
      })
      .on('error', reject);
  });

await trace.getTracer('feeds').startActiveSpan('sync-feed', async (span) => {
  await sleep(300);
  await fetchFeed();
  span.end();
});
server.close();

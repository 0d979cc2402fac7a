/**
 * An ES module's handler awaits its data and then groups them in the same request.
 * @culprit groupByDay
 * @cause javascript gc native
 * @parent GET
 * @http
 */
import http from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import truth from '../kit/truth.cjs';

async function loadEvents() {
  await sleep(15);
  return Array.from({ length: 20_000 }, (_, index) => ({ at: 1.7e12 + index * 60_000, kind: index % 5 }));
}

// <culprit>
function groupByDay(events) {
  const days = {};
  for (const event of events) {
    const day = new Date(event.at).toISOString().slice(0, 10);
    (days[day] ??= []).push(event);
  }
  return days;
}
// </culprit>

const server = http.createServer(async (request, response) => {
  const events = await loadEvents();
  truth.begin();
  const until = performance.now() + 400;
  let days = {};
  while (performance.now() < until) days = groupByDay(events);
  truth.end();
  response.end(JSON.stringify(Object.keys(days)));
});
await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
await sleep(300);
await new Promise((resolve) => {
  http.get({ port: server.address().port, host: '127.0.0.1', agent: false }, (response) => {
    response.resume().on('end', resolve);
  });
});
server.close();

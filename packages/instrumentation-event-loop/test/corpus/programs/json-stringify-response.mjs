/**
 * An HTTP handler serialises everything it has.
 * @culprit exportEverything
 * @cause native
 * @parent GET
 * @resource HTTPINCOMINGMESSAGE
 * @http
 */
import http from 'node:http';
import truth from '../kit/truth.cjs';

const orders = Array.from({ length: 30_000 }, (_, id) => ({ id, lines: [{ sku: `sku-${id}`, amount: id % 9 }] }));

// <culprit>
function exportEverything() {
  const until = performance.now() + 400;
  let text = '';
  while (performance.now() < until) text = JSON.stringify({ exportedAt: new Date(), orders });
  return text;
}
// </culprit>

const server = http.createServer((request, response) => {
  truth.begin();
  const text = exportEverything();
  truth.end();
  response.end(text.slice(0, 100));
});

server.listen(0, '127.0.0.1', () => {
  setTimeout(() => {
    http.get({ port: server.address().port, host: '127.0.0.1', agent: false }, (response) => {
      response.resume().on('end', () => server.close());
    });
  }, 300);
});

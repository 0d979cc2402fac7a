import { createServer } from 'node:http';
import { Piscina } from 'piscina';

// The block is in a worker thread: its span names the thread, and the server answers meanwhile.
const pool = new Piscina({ filename: new URL('render-invoice.mjs', import.meta.url).href, maxThreads: 2 });
const server = createServer(async (request, response) => {
  response.end(String(await pool.run(60_000_000)));
});
server.listen(process.env.PORT ?? 3000, () => console.log(`listening on ${server.address().port}`));

import { createServer } from 'node:http';

interface Row {
  readonly id: number;
  readonly parent: number;
}

enum Kind {
  root,
  leaf,
}

const rows: readonly Row[] = Array.from({ length: 20_000 }, (_, id) => ({ id, parent: id >> 1 }));

function depthsOf(count: number): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const row of rows.slice(0, count)) {
    const parent = rows.find(({ id }) => id === row.parent);
    const kind = Kind[parent === undefined || parent.id === row.id ? Kind.root : Kind.leaf]!;
    counts[kind] = (counts[kind] ?? 0) + 1;
  }
  return counts;
}

createServer((request, response) => {
  response.end(request.url === '/health' ? 'ok' : JSON.stringify(depthsOf(20_000)));
}).listen(Number(process.env['PORT']), '127.0.0.1');

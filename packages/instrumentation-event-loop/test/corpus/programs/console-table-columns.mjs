/**
 * A command prints a table and computes the width of the column again for every cell.
 * @culprit columnWidth
 * @cause javascript native gc
 * @parent list
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { trace } from '@opentelemetry/api';
import truth from '../kit/truth.cjs';

const rows = Array.from({ length: 700 }, (_, id) => [`service-${id}`, `region ${id % 9}`, String(id * 37)]);

// <culprit>
function columnWidth(table, column) {
  return Math.max(...table.map((row) => row[column].length));
}

function formatTable(table) {
  return table.map((row) => row.map((cell, column) => cell.padEnd(columnWidth(table, column))).join(' | ')).join('\n');
}
// </culprit>

await trace.getTracer('cli').startActiveSpan('list', async (span) => {
  await sleep(300);
  truth.begin();
  const until = performance.now() + 400;
  while (performance.now() < until) formatTable(rows);
  truth.end();
  span.end();
});

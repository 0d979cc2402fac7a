/**
 * A tagged template renders a list, compiled from TypeScript as an ES module and run with source maps.
 * @culprit html renderList
 * @cause javascript gc native
 * @parent render-list
 * @flags --enable-source-maps
 */
import { setTimeout as sleep } from 'node:timers/promises';

import { trace } from '@opentelemetry/api';

import truth from '../kit/truth.cjs';

interface Item {
  readonly id: number;
  readonly title: string;
  readonly done: boolean;
}

type Fragment = { readonly parts: readonly string[] };

const items: readonly Item[] = Array.from({ length: 800 }, (_, id) => ({
  id,
  title: `Item ${id}`,
  done: id % 2 === 0,
}));

// <culprit>
function html(strings: TemplateStringsArray, ...values: readonly (string | number | Fragment)[]): Fragment {
  const parts: string[] = [];
  strings.forEach((text, index) => {
    parts.push(text);
    const value = values[index];
    if (value === undefined) return;
    if (typeof value === 'object') parts.push(...value.parts);
    else parts.push(String(value).replaceAll('<', '&lt;'));
  });
  return { parts };
}

function renderList(list: readonly Item[]): string {
  return list
    .map(({ id, title, done }) => html`<li id="${id}" class="${done ? 'done' : ''}">${html`<b>${title}</b>`}</li>`)
    .reduce((text, fragment) => text + fragment.parts.join(''), '');
}
// </culprit>

await trace.getTracer('ui').startActiveSpan('render-list', async (span) => {
  await sleep(300);
  truth.begin();
  const until = performance.now() + 400;
  while (performance.now() < until) renderList(items);
  truth.end();
  span.end();
});

/**
 * A feed writer escapes every text with five replacements, and does it once more for the whole document.
 * @culprit escapeXml
 * @cause javascript native gc
 * @parent feed
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { trace } from '@opentelemetry/api';
import truth from '../kit/truth.cjs';

const posts = Array.from({ length: 1500 }, (_, id) => ({
  title: `Post <${id}>`,
  text: `"Tom" & 'Jerry' <b>${id}</b> `.repeat(60),
}));

// <culprit>
function escapeXml(text) {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&apos;');
}

function writeFeed(list) {
  let xml = '<feed>';
  for (const { title, text } of list)
    xml += `<entry><title>${escapeXml(title)}</title><content>${escapeXml(text)}</content></entry>`;
  return escapeXml(`${xml}</feed>`);
}
// </culprit>

await trace.getTracer('blog').startActiveSpan('feed', async (span) => {
  await sleep(300);
  truth.begin();
  const until = performance.now() + 400;
  while (performance.now() < until) writeFeed(posts);
  truth.end();
  span.end();
});

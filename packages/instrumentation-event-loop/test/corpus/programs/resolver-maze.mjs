/**
 * A resolver framework calls every field through the same function; one resolver below it is slow.
 * @culprit rankComments
 * @cause javascript native
 * @parent query
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { trace } from '@opentelemetry/api';
import truth from '../kit/truth.cjs';

const comments = Array.from({ length: 5000 }, (_, id) => ({ id, votes: (id * 7919) % 1000, text: `comment ${id}` }));

// <culprit>
function rankComments() {
  truth.begin();
  const until = performance.now() + 400;
  let ranked = comments;
  while (performance.now() < until) {
    ranked = comments.toSorted((left, right) => right.votes - left.votes || left.text.localeCompare(right.text));
  }
  truth.end();
  return ranked.slice(0, 10);
}
// </culprit>

const resolvers = {
  post: () => ({ title: 'a post' }),
  title: (post) => post.title,
  comments: rankComments,
};

async function resolveField(name, parent, selection) {
  const value = await resolvers[name](parent);
  if (!selection) return value;
  const fields = {};
  for (const [field, below] of Object.entries(selection)) fields[field] = await resolveField(field, value, below);
  return fields;
}

await trace.getTracer('graphql').startActiveSpan('query', async (span) => {
  await sleep(300);
  await resolveField('post', undefined, { title: undefined, comments: undefined });
  span.end();
});

/**
 * An API description is dereferenced: each `$ref` is replaced by a deep copy of its target, made through JSON.
 * @culprit dereference
 * @cause javascript native gc
 * @parent openapi
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { trace } from '@opentelemetry/api';
import truth from '../kit/truth.cjs';

const definitions = {};
for (let id = 0; id < 11; id += 1) {
  const reference = id === 0 ? { type: 'string' } : { $ref: `model${id - 1}` };
  definitions[`model${id}`] = {
    type: 'object',
    properties: { left: reference, right: reference, note: { type: 'string' } },
  };
}

// <culprit>
function dereference(schema) {
  if (schema.$ref) return dereference(JSON.parse(JSON.stringify(definitions[schema.$ref])));
  if (!schema.properties) return schema;
  const properties = {};
  for (const [name, property] of Object.entries(schema.properties)) properties[name] = dereference(property);
  return { ...schema, properties };
}
// </culprit>

await trace.getTracer('docs').startActiveSpan('openapi', async (span) => {
  await sleep(300);
  truth.begin();
  const until = performance.now() + 400;
  while (performance.now() < until) dereference({ $ref: 'model10' });
  truth.end();
  span.end();
});

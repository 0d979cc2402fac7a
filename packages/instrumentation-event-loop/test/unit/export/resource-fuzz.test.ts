import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { resourceFromEnvironment } from '../../../src/export/resource.js';

const pairs = fc
  .array(
    fc.tuple(
      fc.oneof(fc.string(), fc.constantFrom('service.name', '__proto__', 'constructor', ' ', '')),
      fc.oneof(fc.string(), fc.constantFrom('', '%', '%zz', '%41', '=')),
    ),
  )
  .map((entries) => entries.map(([key, value]) => `${key}=${value}`).join(','));
const environment = fc.record(
  {
    OTEL_RESOURCE_ATTRIBUTES: fc.oneof(pairs, fc.string()),
    OTEL_SERVICE_NAME: fc.oneof(fc.string(), fc.constant(' ')),
  },
  { requiredKeys: [] },
);

test('any environment gives a resource of strings with a service name', () => {
  fc.assert(
    fc.property(environment, (env) => {
      const resource = resourceFromEnvironment(env);
      expect(resource['service.name']).not.toBe('');
      for (const [key, value] of Object.entries(resource)) {
        expect(key).not.toBe('');
        expect(typeof value).toBe('string');
      }
      expect(Object.getPrototypeOf(resource)).toBe(Object.prototype);
    }),
    { numRuns: 1000 },
  );
});

import { mkdirSync, writeFileSync } from 'node:fs';

mkdirSync('tests', { recursive: true });
for (let index = 0; index < 20; index++) {
  const isSlow = index % 5 === 0;
  writeFileSync(
    `tests/prices${index}.spec.cjs`,
    `const assert = require('node:assert');
const { priceAll } = require('../prices.cjs');
it('prices ${index}', async () => {
  await new Promise((resolve) => setTimeout(resolve, 5));
  assert.ok(priceAll(${isSlow ? 50000 : 100}) > 0);
});
it('prices of nothing ${index}', () => {
  assert.equal(priceAll(0), 0);
});
`,
  );
}

import { mkdirSync, writeFileSync } from 'node:fs';

mkdirSync('tests', { recursive: true });
for (let index = 0; index < 20; index++) {
  const isSlow = index % 5 === 0;
  writeFileSync(
    `tests/prices${index}.spec.cjs`,
    `const { priceAll } = require('../prices.cjs');
it('prices ${index}', async () => {
  await new Promise((resolve) => setTimeout(resolve, 5));
  expect(priceAll(${isSlow ? 50000 : 100})).toBeGreaterThan(0);
});
it('prices of nothing ${index}', () => {
  expect(priceAll(0)).toBe(0);
});
`,
  );
}

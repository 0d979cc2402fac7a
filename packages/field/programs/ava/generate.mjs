import { mkdirSync, writeFileSync } from 'node:fs';

mkdirSync('tests', { recursive: true });
for (let index = 0; index < 20; index++) {
  const isSlow = index % 5 === 0;
  writeFileSync(
    `tests/prices${index}.test.mjs`,
    `import test from 'ava';
import prices from '../prices.cjs';

test('prices ${index}', async (t) => {
  await new Promise((resolve) => setTimeout(resolve, 5));
  t.true(prices.priceAll(${isSlow ? 50000 : 100}) > 0);
});
test('prices of nothing ${index}', (t) => {
  t.is(prices.priceAll(0), 0);
});
`,
  );
}

import { cpSync, readdirSync } from 'node:fs';

for (const file of readdirSync('node_modules/lodash').filter(
  (name) => name.endsWith('.js') && name !== 'lodash.min.js',
)) {
  cpSync(`node_modules/lodash/${file}`, `source/${file}`, { dereference: true });
}

import { cpSync, readdirSync } from 'node:fs';

for (const file of readdirSync('node_modules/lodash-es').filter((name) => name.endsWith('.js'))) {
  cpSync(`node_modules/lodash-es/${file}`, `source/${file}`, { dereference: true });
}

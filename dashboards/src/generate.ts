import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';

import { outputs } from './outputs.ts';

const root = path.resolve(import.meta.dirname, '../..');

for (const [file, text] of outputs()) {
  const target = path.join(root, file);
  mkdirSync(path.dirname(target), { recursive: true });
  writeFileSync(target, text);
  console.log(file);
}

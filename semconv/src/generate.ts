import { writeFileSync } from 'node:fs';
import path from 'node:path';

import { outputs } from './outputs.ts';

const root = path.resolve(import.meta.dirname, '../..');

for (const [file, text] of await outputs()) {
  const target = path.join(root, file);
  writeFileSync(target, text);
  console.log(file);
}

import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

const blocks = path.resolve(import.meta.dirname, '../../../src/blocks');

/** A number with a name and the comment before it, if any: a literal, or computed from others. */
const CONSTANT = /(?:\/\*\*((?:(?!\*\/)[^])*)\*\/\n)?(?:export )?const ([A-Z][A-Z\d_]*) = ([\w.*/+ -]+);/g;

/** A line for each constant of src/blocks: its value, and why it has it. */
export function constantLines(): string[] {
  return readdirSync(blocks)
    .sort()
    .flatMap((file) =>
      [...readFileSync(path.join(blocks, file), 'utf8').matchAll(CONSTANT)]
        .filter(([, , , value]) => /\d/.test(value!))
        .map(([, comment = '', name, value]) => {
          const derivation = comment.replaceAll(/\s*\n\s*\*?\s*/g, ' ').trim();
          return `- \`${name}\` = \`${value}\`, in ${file}: ${derivation}`;
        }),
    );
}

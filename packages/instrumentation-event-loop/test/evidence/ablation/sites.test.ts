import { readFileSync } from 'node:fs';
import path from 'node:path';
import vm from 'node:vm';

import { expect, test } from '@jest/globals';

import { constantLines } from './constants.ts';
import { withSites } from './sites.ts';

const SOURCE = `// src/blocks/cause.ts
const LIMIT = 10;
function judge(samples, isLate) {
  if (samples.length > LIMIT) return 'long';
  if (isLate && samples.length < 4) return 'late';
  return 'none';
}
// src/contract/model.ts
const OTHER = 7;
function model(x) { return x > OTHER; }
export { judge, model };
`;

/** The module, without its exports, as a function that gives them. */
function evaluate(code: string, sites: readonly { readonly without?: boolean }[]) {
  const body = code.replaceAll(/^export const/gm, 'const').replace(/^export \{.*\};$/m, '');
  const switched = `const __without = ${JSON.stringify(sites.map(({ without }) => without ?? null))};\n${body}`;
  return vm.runInThisContext(`(() => { ${switched}\nreturn { judge, ablation }; })()`) as {
    judge: (samples: readonly unknown[], isLate: boolean) => string;
    ablation: { active: number; factor: number; seen: Set<number> };
  };
}

test('each number and each part of a condition in blocks/ is a site, and nothing else', () => {
  const { sites } = withSites(SOURCE);
  expect(sites.map(({ kind, text }) => `${kind} ${text}`)).toEqual([
    'number LIMIT',
    'rule samples.length > LIMIT',
    'rule isLate && samples.length < 4',
    'rule isLate',
    'rule samples.length < 4',
    'number samples.length < 4',
  ]);
});

test('a changed site changes what the module does, and no other does', () => {
  const { code, sites } = withSites(SOURCE);
  const { judge, ablation } = evaluate(code, sites);
  const idOf = (kind: string, text: string): number =>
    sites.find((site) => site.kind === kind && site.text === text)!.id;
  const samples = Array.from({ length: 8 });
  expect(judge(samples, true)).toBe('none');
  ablation.active = idOf('number', 'LIMIT');
  ablation.factor = 0.5;
  expect(judge(samples, true)).toBe('long');
  ablation.active = idOf('rule', 'samples.length < 4');
  expect(judge(samples, true)).toBe('late');
  ablation.active = -1;
  expect(judge(samples, true)).toBe('none');
});

test('the page names the constants of the judgement as they are, and why each has its value', () => {
  const page = readFileSync(path.resolve(import.meta.dirname, '../../../../../docs/evidence/ablation.md'), 'utf8');
  const [, listed = ''] = /\nWhy each has its value:\n\n([^]*?)\n\n## /.exec(page) ?? [];
  const lines = constantLines();
  // `npm run evidence -- ablation` writes the page anew.
  expect(listed.split('\n')).toEqual(lines);
  expect(lines.filter((line) => line.endsWith(': '))).toEqual([]);
});

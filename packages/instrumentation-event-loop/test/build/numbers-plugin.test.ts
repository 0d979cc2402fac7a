import { execFile } from 'node:child_process';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';

import { expect, test } from '@jest/globals';

const plugin = pathToFileURL(path.resolve(import.meta.dirname, '../../build/numbers-plugin.mjs')).href;

/** Runs in a process of its own, as the build does: the plugin imports a source file with types. */
async function transformed(code: string): Promise<string | null> {
  const program = `import { numbersPlugin } from ${JSON.stringify(plugin)};
const result = numbersPlugin().transform(${JSON.stringify(code)});
console.log(JSON.stringify(result?.code ?? null));`;
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', program], {
    timeout: 60_000,
  });
  return JSON.parse(stdout) as string | null;
}

const IMPORT = "import { Ending, SlotInt } from '../contract/registry-layout.js';\n";

test('fields of the registry become numbers, and the lines stay', async () => {
  const code = `${IMPORT}slot.setInt(\n  SlotInt.ending,\n  Ending.wanted,\n);`;
  expect(await transformed(code)).toBe(`${IMPORT}slot.setInt(\n  11,\n  1,\n);`);
});

test('what only looks like a field stays as it is', async () => {
  const code = `${IMPORT}other.SlotInt.ending; SlotInt.unknown; MySlotInt.ending;`;
  expect(await transformed(code)).toBe(code);
});

test('only tables of numbers are meant, not the other constants of such a file', async () => {
  const code =
    "import { PROBE_SYMBOL, ProbeAnswer } from './probe-answers.js';\nPROBE_SYMBOL.slice(ProbeAnswer.running);";
  expect(await transformed(code)).toBe(code.replace('ProbeAnswer.running', '1'));
});

test('a file that imports none of the fields stays as it is', async () => {
  expect(await transformed('const Ending = { wanted: 7 }; use(Ending.wanted);')).toBe(null);
});

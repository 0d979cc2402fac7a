import { readFile } from 'node:fs/promises';

import { expect, test } from '@jest/globals';

import { expectSuccess, fixture, runCli } from '../support/cli.js';

/** Modules of Node that `run` loads itself. */
async function modulesOfCli(): Promise<string[]> {
  const options = `--require ${fixture('print-loaded-modules.cjs')}`;
  // The program is no Node.js program: only the CLI prints its modules.
  const result = await runCli(['run', '--', '/bin/sh', '-c', 'exit 0'], { env: { NODE_OPTIONS: options } });
  expectSuccess(result);
  const { stderr } = result;
  const [, list = ''] = /^loaded: (.*)$/m.exec(stderr) ?? [];
  return list.split(' ');
}

// Imported by name in an ES module, `node:http` loads `fetch` and TLS with it: longer than the start of Node.js.
test('`run` loads no fetch, TLS or cryptography for a program that sends no hang report', async () => {
  const loaded = await modulesOfCli();
  expect(loaded).toContain('child_process');
  for (const name of ['internal/deps/undici/undici', 'http2', 'tls', 'crypto']) expect(loaded).not.toContain(name);
});

// Without a browser, the inner tier does not see that a page stays empty.
test('the page asks for nothing of Node.js', async () => {
  const page = await readFile(new URL('../../dist/page.html', import.meta.url), 'utf8');
  expect(page).toContain('blocked time');
  expect(/getBuiltinModule|createRequire|["'`]node:(?!internal)\w+["'`]/.exec(page)?.[0]).toBeUndefined();
});

import { execFile } from 'node:child_process';
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { getPriority, tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';

import { expect, test } from '@jest/globals';

const toolchain = pathToFileURL(path.resolve(import.meta.dirname, '../stack/go-toolchain.mjs')).href;

/** Writes at which priority it runs, once its parent has set it. */
const goCommand = '#!/bin/sh\nsleep 0.5\nnice > "$NICENESS_FILE"\n';

const lowPriority = 10;
const lowestPriority = 19;

test.each([0, 15])('Go builds at a low priority, not above that of its parent: nice %d', async (niceness) => {
  const folder = await mkdtemp(path.join(tmpdir(), 'loopwatch-go-'));
  try {
    const go = path.join(folder, 'go');
    await writeFile(go, goCommand);
    await chmod(go, 0o755);
    const build = { moduleDirectory: folder, packages: [], tags: [], output: folder };
    const code = `
      const { goBuild } = await import(${JSON.stringify(toolchain)});
      await goBuild({ ...${JSON.stringify(build)}, onProgress() {} });`;
    const file = path.join(folder, 'niceness');
    const env = { ...process.env, PATH: `${folder}:${process.env['PATH']}`, NICENESS_FILE: file };
    const command = [...['-n', `${niceness}`, process.execPath], ...['--input-type=module', '--eval', code]];
    await promisify(execFile)('nice', command, { env });
    const ofParent = Math.min(lowestPriority, getPriority() + niceness);
    expect(await readFile(file, 'utf8')).toBe(`${Math.max(lowPriority, ofParent)}\n`);
  } finally {
    await rm(folder, { recursive: true });
  }
});

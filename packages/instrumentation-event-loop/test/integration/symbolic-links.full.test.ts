import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';

import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { nodeBinary } from '@loopwatch/node-binaries';
import { casesOn, combinationPerMajor, consumerOf, describeCombination } from '@loopwatch/test-support';

const run = promisify(execFile);
const LINKS = 20;

/** Imports one link after the other while the instrumentation starts: by each comes the module in the real folder. */
const PROGRAM = `
const folders = [];
for (let link = 0; link < ${LINKS}; link++) {
  const { folder } = (await import('./linked' + link + '/module.cjs')).default;
  folders.push(folder);
  await new Promise((resolve) => setTimeout(resolve, 30));
}
console.log(JSON.stringify(folders));
`;

let directory: string;

beforeAll(() => {
  directory = mkdtempSync(path.join(tmpdir(), 'loopwatch-links-'));
  mkdirSync(path.join(directory, 'real'));
  writeFileSync(
    path.join(directory, 'real/module.cjs'),
    "exports.folder = require('node:path').basename(__dirname);\n",
  );
  writeFileSync(path.join(directory, 'main.mjs'), PROGRAM);
  for (let link = 0; link < LINKS; link++) symlinkSync('real', path.join(directory, `linked${link}`));
});

afterAll(() => {
  rmSync(directory, { recursive: true, force: true });
});

/** pnpm and workspaces link packages: loaded by two paths, a package exists twice, and has no exports on Node.js 20. */
describe.each(combinationPerMajor.map((combination) => [describeCombination(combination), combination] as const))(
  '%s: modules behind symbolic links are loaded from their real folders',
  (_label, combination) => {
    const { nodeMajor, sdk } = combination;
    test.concurrent.each(casesOn(combination, ['--import', '--require']))(
      'with telemetry by %s, and a pipe as stdout',
      async (flag) => {
        const consumer = await consumerOf(sdk);
        const { stdout } = await run(
          nodeBinary(nodeMajor),
          [flag, '@loopwatch/instrumentation-event-loop/register', path.join(directory, 'main.mjs')],
          { cwd: consumer.directory, timeout: 60_000, env: { PATH: process.env.PATH, HOME: process.env.HOME } },
        );
        expect(JSON.parse(stdout)).toEqual(Array(LINKS).fill('real'));
      },
    );
  },
);

import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { nodeBinary, type NodeMajor } from '@loopwatch/node-binaries';
import { parse } from 'yaml';

interface Step {
  readonly uses?: string;
  readonly run?: string;
}

interface Job {
  readonly env?: Readonly<Record<string, string>>;
  readonly steps: readonly Step[];
}

/**
 * What a hosted runner has instead of the actions: the checkout is a clone, Node.js is on the PATH, artifacts stay where
 * the job before has written them, and there is no cache.
 */
const REPLACED = /^actions\/(checkout|setup-node|setup-go|cache|upload-artifact|download-artifact)@/;

/** The tiers run for long and have jobs of their own: here, one file of each shows that the step works. */
const ONE_FILE: Readonly<Record<string, string>> = {
  'npm run test:full': 'npm run test:full -- blocks/cause',
  'npm run test:e2e': 'npm run test:e2e -- workflows',
};

const root = path.resolve(import.meta.dirname, '../..');
const STEP_LIMIT_MS = 900_000;
const { jobs } = parse(readFileSync(path.join(root, '.github/workflows/ci.yml'), 'utf8')) as {
  jobs: Readonly<Record<string, Job>>;
};
let clone: string;

beforeAll(() => {
  clone = mkdtempSync(path.join(tmpdir(), 'loopwatch-workflow-'));
  execFileSync('git', ['clone', '--quiet', '--no-hardlinks', root, clone]);
});

afterAll(() => {
  rmSync(clone, { recursive: true, force: true });
});

// In the order in which they need each other: `platforms` installs what `pack` has packed.
const runs: readonly (readonly [string, NodeMajor, Readonly<Record<string, string>>])[] = [
  ['linux', 24, { combination: '24-sdk3' }],
  ['pack', 24, {}],
  ['platforms', 20, { node: '20', sdk: 'sdk2' }],
  ['platforms', 26, { node: '26', sdk: 'sdk3' }],
  ['lint-and-e2e', 24, {}],
];

test.each(runs)(
  'the steps of the job %s, on Node.js %s, work in their order in a fresh clone',
  (name, nodeMajor, matrix) => {
    const { steps, env: jobEnv = {} } = jobs[name]!;
    const filled = (text: string): string =>
      text.replaceAll(/\$\{\{ matrix\.(\w+) \}\}/g, (_, key: string) => matrix[key]!);
    // What npm and the workspace set for their scripts is not there on a runner.
    const env = {
      ...Object.fromEntries(
        Object.entries(process.env).filter(([key]) => !/^(npm_|LOOPWATCH_|JEST_|NODE_OPTIONS|INIT_CWD)/i.test(key)),
      ),
      PATH: `${path.dirname(nodeBinary(nodeMajor))}:${process.env['PATH'] ?? ''}`,
      CI: 'true',
      ...Object.fromEntries(Object.entries(jobEnv).map(([key, value]) => [key, filled(value)])),
    };
    const unknown = steps.filter(({ uses }) => uses !== undefined && !REPLACED.test(uses));
    expect(unknown).toEqual([]);
    for (const run of steps.flatMap((step) => step.run ?? [])) {
      const command = filled(ONE_FILE[run] ?? run);
      const { status, stdout, stderr } = spawnSync('bash', ['-e', '-c', command], {
        cwd: clone,
        env,
        encoding: 'utf8',
        timeout: STEP_LIMIT_MS,
        maxBuffer: 2 ** 26,
      });
      const output = status === 0 ? '' : `${stdout}${stderr}`.slice(-4000);
      expect({ command, status, output }).toEqual({ command, status: 0, output: '' });
    }
  },
  3 * STEP_LIMIT_MS,
);

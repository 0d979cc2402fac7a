import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

import { describe, expect, test } from '@jest/globals';
import { parse } from 'yaml';

interface Step {
  readonly uses?: string;
  readonly run?: string;
}

interface Job {
  readonly permissions?: Readonly<Record<string, string>>;
  /** None where the job is another workflow. */
  readonly steps?: readonly Step[];
}

const root = path.resolve(import.meta.dirname, '../..');
const directory = path.join(root, '.github/workflows');
const workflows = readdirSync(directory).map((name) => {
  const text = readFileSync(path.join(directory, name), 'utf8');
  const { permissions, jobs } = parse(text) as { permissions: object; jobs: Readonly<Record<string, Job>> };
  return { name, text, permissions, jobs };
});

/** The steps of all jobs of these workflows. */
function stepsOf(...names: readonly string[]): readonly Step[] {
  return workflows
    .filter(({ name }) => names.includes(name))
    .flatMap(({ jobs }) => Object.values(jobs).flatMap(({ steps = [] }) => steps));
}

describe('the workflows', () => {
  test('run each tier, on each change or each night', () => {
    const { scripts } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')) as {
      scripts: Readonly<Record<string, string>>;
    };
    // `npm test` and these are parts of the full tier, the programs of packages/field are one of the long tier.
    const parts = ['test:unit', 'test:integration', 'test:field'];
    const tiers = Object.keys(scripts).filter((name) => name.startsWith('test:') && !parts.includes(name));
    const commands = stepsOf('ci.yml', 'nightly.yml').map(({ run = '' }) => run);
    const missing = tiers.filter((tier) => !commands.some((command) => command.endsWith(`npm run ${tier}`)));
    expect(tiers.length).toBeGreaterThan(3);
    expect(missing).toEqual([]);
  });

  test.each(workflows.map(({ name, text }) => [name, text]))(
    'pin each action of %s by its hash, with the version beside it',
    (_name, text) => {
      const actions = [...text.matchAll(/uses: (.+)$/gm)].map(([, action]) => action!);
      expect(actions.length).toBeGreaterThan(0);
      const unpinned = actions.filter((action) => !/^(\.\/|[\w./-]+@[0-9a-f]{40} # v[\d.]+$)/.test(action));
      expect(unpinned).toEqual([]);
    },
  );

  test.each(workflows.map(({ name, permissions, jobs }) => [name, permissions, jobs] as const))(
    'give the jobs of %s only the permissions that each names',
    (_name, permissions, jobs) => {
      expect(permissions).toEqual({});
      const silent = Object.entries(jobs).filter(([, job]) => job.permissions === undefined);
      expect(silent.map(([name]) => name)).toEqual([]);
    },
  );

  test('let the jobs of CI and of the night read, and nothing else', () => {
    const jobs = workflows
      .filter(({ name }) => name === 'ci.yml' || name === 'nightly.yml')
      .flatMap((workflow) => Object.values(workflow.jobs));
    expect(new Set(jobs.map(({ permissions }) => JSON.stringify(permissions)))).toEqual(
      new Set(['{"contents":"read"}']),
    );
  });
});

import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';

import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';

import { releaseConditions } from '../release/conditions.mjs';
import { nextVersions } from '../release/next-versions.mjs';
import { withBundled } from '../release/sbom.mjs';

const root = path.resolve(import.meta.dirname, '../..');

describe('a release is published only if', () => {
  const facts = {
    environment: {
      GITHUB_ACTIONS: 'true',
      GITHUB_REF: 'refs/tags/v1.2.3',
      ACTIONS_ID_TOKEN_REQUEST_URL: 'https://example.test/token',
      ACTIONS_ID_TOKEN_REQUEST_TOKEN: 'secret',
    },
    versions: ['1.2.3', '1.2.3'],
    pendingChangesets: [],
    changedFiles: [],
    tagObject: 'object 0\ntype commit\ntag v1.2.3\n\nv1.2.3\n-----BEGIN SSH SIGNATURE-----\n',
  };
  const unmet = (changes: Partial<typeof facts>): string[] =>
    releaseConditions({ ...facts, ...changes })
      .filter(({ isMet }) => !isMet)
      .map(({ title }) => title);

  test('all conditions hold', () => {
    expect(unmet({})).toEqual([]);
  });

  test.each([
    ['runs in GitHub Actions', { environment: { ...facts.environment, GITHUB_ACTIONS: '' } }],
    ['OIDC token', { environment: { ...facts.environment, ACTIONS_ID_TOKEN_REQUEST_URL: '' } }],
    ['runs for the tag v1.2.3', { environment: { ...facts.environment, GITHUB_REF: 'refs/heads/main' } }],
    ['the same version', { versions: ['1.2.3', '1.2.4'] }],
    ['no changeset waits', { pendingChangesets: ['kind-cats-sing.md'] as never[] }],
    ['every change is committed', { changedFiles: [' M package.json'] as never[] }],
    ['the tag is signed', { tagObject: 'object 0\ntype commit\ntag v1.2.3\n\nv1.2.3\n' }],
    ['the tag is signed', { tagObject: '' }],
  ])('this holds: %s', (title, changes) => {
    expect(unmet(changes)).toEqual([expect.stringContaining(title)]);
  });

  test('the command refuses on a machine of a developer, and names each condition', () => {
    const { GITHUB_ACTIONS: _actions, GITHUB_REF: _ref, ...env } = process.env;
    const command = [path.join(root, 'scripts/workspace.mjs'), 'release'];
    const { status, stderr } = spawnSync(process.execPath, command, { encoding: 'utf8', env, timeout: 60_000 });
    expect(status).toBe(1);
    expect(stderr).toContain('Nothing was published.');
    expect(stderr).toContain('- runs in GitHub Actions');
    expect(stderr).toContain('--dry-run');
  });
});

describe('the next versions', () => {
  let checkout: string;

  beforeEach(() => {
    mkdirSync(path.join(root, 'temp'), { recursive: true });
    // In the workspace, so that the formatter of the changelog is found.
    checkout = mkdtempSync(path.join(root, 'temp/changesets-'));
  });

  afterEach(() => {
    rmSync(checkout, { recursive: true, force: true });
  });

  test('follow from the changesets, with their text in the changelog and the commit that added it', async () => {
    write('package.json', '{ "name": "root", "private": true, "version": "0.0.0" }');
    write('pnpm-workspace.yaml', 'packages: ["packages/*"]');
    write('pnpm-lock.yaml', "lockfileVersion: '9.0'");
    write(
      '.changeset/config.json',
      '{ "fixed": [["one", "two"]], "changelog": "@changesets/cli/changelog", "format": false }',
    );
    write('.changeset/kind-cats-sing.md', '---\none: minor\n---\n\nFinds blocks in cats.\n');
    const published = ['one', 'two'].map((name) => {
      write(`packages/${name}/package.json`, `{ "name": "${name}", "version": "1.4.0" }`);
      return { name, directory: path.join(checkout, 'packages', name), isPublished: true };
    });
    git('init', '--quiet', '--initial-branch', 'main');
    git('add', '.');
    git('-c', 'user.name=test', '-c', 'user.email=test@example.test', 'commit', '--quiet', '--message', 'Start');
    const [one, two] = await nextVersions(published, checkout);
    expect(one).toMatchObject({ name: 'one', version: '1.5.0' });
    expect(one?.changelog).toContain(`${git('rev-parse', '--short=7', 'HEAD').trim()}: Finds blocks in cats.`);
    expect(two).toMatchObject({ name: 'two', version: '1.5.0' });
    expect(git('status', '--porcelain')).toBe('');
  }, 60_000);

  function write(file: string, text: string): void {
    mkdirSync(path.dirname(path.join(checkout, file)), { recursive: true });
    writeFileSync(path.join(checkout, file), `${text}\n`);
  }

  function git(...gitArguments: string[]): string {
    return execFileSync('git', gitArguments, { cwd: checkout, encoding: 'utf8' });
  }
});

describe('the software bill of materials', () => {
  const installed = {
    metadata: { component: { 'bom-ref': 'sbom@0.0.0' } },
    components: [
      { 'bom-ref': 'tool@1.0.0', name: 'tool', externalReferences: [{ url: 'file:/somewhere/tool.tgz' }] },
      { 'bom-ref': 'database@2.0.0', name: 'database' },
    ],
    dependencies: [
      { ref: 'sbom@0.0.0', dependsOn: ['tool@1.0.0'] },
      { ref: 'tool@1.0.0', dependsOn: ['database@2.0.0'] },
      { ref: 'database@2.0.0', dependsOn: [] },
    ],
  };
  const sbom = withBundled(installed, 'tool', [{ name: '@scope/colours', version: '3.1.0', license: 'ISC' }]);

  test('is about the package, and does not show where it was built', () => {
    expect(sbom.metadata.component).toMatchObject({ name: 'tool' });
    expect(JSON.stringify(sbom)).not.toContain('file:');
    expect(JSON.stringify(sbom)).not.toContain('sbom@0.0.0');
  });

  test('lists what is bundled beside what is installed', () => {
    expect(sbom.components.map(({ name }) => name)).toEqual(['database', '@scope/colours']);
    expect(sbom.components[1]).toMatchObject({
      purl: 'pkg:npm/%40scope/colours@3.1.0',
      licenses: [{ expression: 'ISC' }],
    });
    expect(sbom.dependencies[0]).toEqual({ ref: 'tool@1.0.0', dependsOn: ['database@2.0.0', '@scope/colours@3.1.0'] });
  });
});

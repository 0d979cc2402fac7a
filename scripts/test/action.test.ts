import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { parse } from 'yaml';

interface Step {
  readonly name?: string;
  readonly uses?: string;
  readonly run?: string;
  readonly shell?: string;
  readonly env?: Readonly<Record<string, string>>;
}

const root = path.resolve(import.meta.dirname, '../..');
const text = readFileSync(path.join(root, 'action.yml'), 'utf8');
const action = parse(text) as {
  inputs: Readonly<Record<string, { default?: string }>>;
  runs: { using: string; steps: readonly Step[] };
};
const scriptOf = (name: string): string => path.join(root, 'deploy/github-action', name);

/** What a stranger can put into the name of a branch, an artifact or an input. */
const HOSTILE = ['$(touch hit)', '`touch hit`', '"; touch hit; "', "'; touch hit; '", '--help', '$((touch hit))'];

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(path.join(tmpdir(), 'loopwatch-action-'));
  mkdirSync(path.join(directory, 'bin'));
});
afterEach(() => {
  rmSync(directory, { recursive: true });
});

describe('the action', () => {
  test('has no expression in the text of a script: no input, branch or title becomes code', () => {
    const { steps, using } = action.runs;
    expect(using).toBe('composite');
    const scripts = steps.filter(({ run }) => run !== undefined);
    expect(scripts.length).toBeGreaterThan(2);
    for (const { run, shell } of scripts) expect([shell, run]).toEqual(['bash', expect.not.stringContaining('${{')]);
  });

  test('pins each action by its hash, with the version beside it', () => {
    const actions = [...text.matchAll(/uses: (.+)$/gm)].map(([, used]) => used!);
    expect(actions.length).toBeGreaterThan(0);
    for (const used of actions) expect(used).toMatch(/^[\w./-]+@[0-9a-f]{40} # v[\d.]+$/);
  });

  test('gives its scripts each variable that they read', () => {
    const given = new Set(action.runs.steps.flatMap(({ env = {} }) => Object.keys(env)));
    for (const { run = '' } of action.runs.steps) {
      const [, name] = /([\w-]+\.sh)$/.exec(run.replaceAll('"', '')) ?? [];
      if (name === undefined) continue;
      const read = readFileSync(scriptOf(name), 'utf8').match(
        /\b(INPUT_\w+|\w+_RECORDINGS|COMMENT_FILE|BASE_BRANCH)\b/g,
      );
      for (const variable of read ?? []) expect(given).toContain(variable);
    }
  });

  test('runs the version of the package that its commit has, unless another one is asked for', () => {
    expect(action.inputs['version']?.default).toBe('');
    const { version } = JSON.parse(readFileSync(path.join(root, 'packages/cli/package.json'), 'utf8')) as {
      version: string;
    };
    fake('npx', 'exit 0');
    runScript('loopwatch.sh', { INPUT_VERSION: '' }, ['--help']);
    expect(log('npx')).toEqual(['--yes', `loopwatch@${version}`, '--help']);
  });
});

/** A program in the PATH that writes down its arguments, one a line, and then does what is given. */
function fake(name: string, script: string): void {
  const file = path.join(directory, 'bin', name);
  writeFileSync(file, `#!/usr/bin/env bash\nprintf '%s\\n' "$@" >>"${directory}/${name}.log"\n${script}\n`);
  chmodSync(file, 0o755);
}

function runScript(
  name: string,
  env: Readonly<Record<string, string>>,
  args: readonly string[] = [],
): { code: number | null; stdout: string } {
  const { status, stdout, stderr } = spawnSync('bash', [scriptOf(name), ...args], {
    cwd: directory,
    encoding: 'utf8',
    env: {
      PATH: `${path.join(directory, 'bin')}:${process.env['PATH'] ?? ''}`,
      GITHUB_OUTPUT: path.join(directory, 'output'),
      GITHUB_REPOSITORY: 'o/r',
      ...env,
    },
  });
  return { code: status, stdout: stdout + stderr };
}

const log = (name: string): string[] =>
  readFileSync(path.join(directory, `${name}.log`), 'utf8')
    .trimEnd()
    .split('\n');
const output = (): string => readFileSync(path.join(directory, 'output'), 'utf8');

describe('record.sh', () => {
  const env = {
    INPUT_COMMAND: 'node a.js && node b.js',
    INPUT_RUNS: '2',
    INPUT_FAIL_ON: '250',
    INPUT_KILL_AFTER: '60',
    INPUT_VERSION: '1.0.0',
  };

  test('runs the command as often as asked, and ends with the code of --fail-on', () => {
    fake('npx', 'exit 3');
    const recordings = path.join(directory, 'head');
    expect(runScript('record.sh', { ...env, RECORDINGS: recordings }).code).toBe(3);
    const one = (run: number): string[] => [
      ...['--yes', 'loopwatch@1.0.0', 'run', '--fail-on', '250', '--kill-after', '60'],
      ...['--json', `${recordings}/${run}.json`, '--', 'bash', '-c', 'node a.js && node b.js'],
    ];
    expect(log('npx')).toEqual([...one(1), ...one(2)]);
    expect(output()).toBe(`recordings=${recordings}\n`);
  });

  test('does not repeat a program that fails, and refuses a number that is none', () => {
    fake('npx', 'exit 124');
    const recordings = path.join(directory, 'head');
    expect(runScript('record.sh', { ...env, RECORDINGS: recordings }).code).toBe(124);
    expect(log('npx').filter((word) => word === 'run')).toHaveLength(1);
    expect(runScript('record.sh', { ...env, RECORDINGS: recordings, INPUT_RUNS: '1; x' }).code).toBe(1);
  });

  test.each(HOSTILE)('executes no other input: %s', (hostile) => {
    fake('npx', 'exit 0');
    const inputs = { INPUT_FAIL_ON: hostile, INPUT_KILL_AFTER: hostile, INPUT_RUNS: '1' };
    runScript('record.sh', { ...env, ...inputs, RECORDINGS: path.join(directory, 'head') });
    runScript('record.sh', { ...env, INPUT_RUNS: hostile, RECORDINGS: path.join(directory, 'head') });
    expect(existsSync(path.join(directory, 'hit'))).toBe(false);
    expect(log('npx').filter((word) => word === hostile)).toHaveLength(2);
  });
});

describe('compare.sh and comment.sh', () => {
  const env = (): Record<string, string> => ({
    INPUT_ARTIFACT: 'loopwatch',
    INPUT_FAIL_ON_NEW: '200',
    INPUT_VERSION: '1.0.0',
    BASE_BRANCH: 'main',
    WORKFLOW_REF: 'o/r/.github/workflows/ci.yml@refs/pull/7/merge',
    HEAD_RECORDINGS: path.join(directory, 'head'),
    BASE_RECORDINGS: path.join(directory, 'base'),
    COMMENT_FILE: path.join(directory, 'comment.md'),
    PULL_REQUEST: '7',
  });
  const GH = `case "$1 $2" in
    "run list") echo 42;;
    "run download") : >"$BASE_RECORDINGS/1.json";;
    "api --paginate") ;;
  esac`;

  beforeEach(() => {
    mkdirSync(path.join(directory, 'head'));
    writeFileSync(path.join(directory, 'head/1.json'), '');
  });

  test('compare with the artifact of the base branch, and comment also where that fails', () => {
    fake('gh', GH);
    fake('npx', 'echo text >"$COMMENT_FILE"; exit 3');
    expect(runScript('compare.sh', env()).code).toBe(3);
    expect(log('npx')).toEqual([
      ...['--yes', 'loopwatch@1.0.0', 'compare', `${directory}/base/1.json`, '--with', `${directory}/head/1.json`],
      ...['--fail-on-new', '200', '--markdown', `${directory}/comment.md`],
    ]);
    expect(log('gh').join(' ')).toContain('--workflow ci.yml --branch main');
    expect(output()).toContain('comment=');
    expect(runScript('comment.sh', env()).code).toBe(0);
    expect(log('gh').join(' ')).toContain('--method POST repos/o/r/issues/7/comments');
  });

  test('replace the comment of an earlier run', () => {
    fake('gh', 'if [[ "$2" == --paginate ]]; then echo 99; fi');
    writeFileSync(path.join(directory, 'comment.md'), 'text');
    expect(runScript('comment.sh', env()).code).toBe(0);
    expect(log('gh').join(' ')).toContain('--method PATCH repos/o/r/issues/comments/99');
  });

  test('succeed where an earlier run has left many comments, or GitHub refuses the change of one', () => {
    fake('gh', 'if [[ "$2" == --paginate ]]; then seq 99 99999; else echo "gh: HTTP 422" >&2; exit 1; fi');
    writeFileSync(path.join(directory, 'comment.md'), 'text');
    const { code, stdout } = runScript('comment.sh', env());
    expect(log('gh').join(' ')).toContain('--method PATCH repos/o/r/issues/comments/99 ');
    expect([code, stdout]).toEqual([0, expect.stringContaining('HTTP 422')]);
  });

  test('say so, and succeed, where the base branch has no recordings, or the token may not write', () => {
    fake('gh', 'exit 1');
    fake('npx', 'exit 0');
    const noArtifact = 'if [[ "$1 $2" == "run list" ]]; then echo 42; else exit 1; fi';
    fake('gh', noArtifact);
    expect(runScript('compare.sh', env())).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('no recordings so far'),
    });
    writeFileSync(path.join(directory, 'comment.md'), 'text');
    fake('gh', 'if [[ "$2" == --paginate ]]; then exit 0; else exit 1; fi');
    expect(runScript('comment.sh', env())).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('pull-requests: write'),
    });
  });

  test.each(HOSTILE)('execute no input and no name of a branch: %s', (hostile) => {
    fake('gh', GH);
    fake('npx', 'echo text >"$COMMENT_FILE"');
    const inputs = { INPUT_ARTIFACT: hostile, INPUT_FAIL_ON_NEW: hostile, BASE_BRANCH: hostile, WORKFLOW_REF: hostile };
    runScript('compare.sh', { ...env(), ...inputs });
    expect(runScript('comment.sh', { ...env(), INPUT_ARTIFACT: hostile }).code).toBe(0);
    expect(runScript('comment.sh', { ...env(), PULL_REQUEST: hostile }).code).toBe(1);
    expect(existsSync(path.join(directory, 'hit'))).toBe(false);
  });
});

import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';

import { withoutUndefined } from '../../model/collections.js';
import type { Recording } from '../../model/recording/recording.js';
import { browsableUrl } from '../../model/text/source-url.js';
import type { VersionControl } from '../../model/types.js';
import { readUserFile } from '../files/regular-file.js';

type Environment = Readonly<Record<string, string | undefined>>;

/** Which version of the program runs, of which commit. */
export type ProgramSource = Pick<Recording, 'programVersion' | 'vcs'>;

/** A repository on a slow disk must not delay the run. */
const GIT_TIMEOUT_MS = 2_000;

/**
 * From `OTEL_RESOURCE_ATTRIBUTES` (`service.version`, `vcs.repository.url.full`, `vcs.ref.head.revision`,
 * `vcs.ref.head.name`), else from the `package.json` and the repository of the directory. Never rejects.
 */
export async function programSource(directory: string, env: Environment): Promise<ProgramSource> {
  const attributes = resourceAttributes(env.OTEL_RESOURCE_ATTRIBUTES ?? '');
  const packageVersion = versionOfPackage(directory);
  const repository = await fromGit(directory, env);
  const revision = attributes.get('vcs.ref.head.revision') ?? repository.revision;
  const vcs = withoutUndefined({
    repositoryUrl: attributes.get('vcs.repository.url.full') ?? repository.repositoryUrl,
    rootDirectory: repository.rootDirectory,
    revision,
    refName: attributes.get('vcs.ref.head.name') ?? repository.refName,
    isModified: revision === repository.revision ? repository.isModified : undefined,
  });
  const programVersion = attributes.get('service.version') ?? packageVersion;
  return {
    ...(programVersion !== undefined && { programVersion }),
    ...(Object.keys(vcs).length > 0 && { vcs }),
  };
}

/** `key=value,key=value`, percent-encoded, as the SDKs of OpenTelemetry read it. */
function resourceAttributes(text: string): Map<string, string> {
  const pairs = text.split(',').flatMap((pair): [string, string][] => {
    const [key = '', ...value] = pair.split('=');
    return value.length === 0 ? [] : [[key.trim(), decoded(value.join('=').trim())]];
  });
  return new Map(pairs.filter(([, value]) => value !== ''));
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** The version in the nearest `package.json` that has one. */
function versionOfPackage(directory: string): string | undefined {
  try {
    const { version } = JSON.parse(readUserFile(path.join(directory, 'package.json'))) as {
      version?: unknown;
    };
    if (typeof version === 'string' && version !== '') return version;
  } catch {
    // No package here, or not one that can be read: look above.
  }
  const parent = path.dirname(directory);
  return parent === directory ? undefined : versionOfPackage(parent);
}

async function fromGit(directory: string, env: Environment): Promise<VersionControl> {
  const git = async (...args: string[]): Promise<string | undefined> => {
    try {
      // Optional locks would make a concurrent command of the user fail.
      const { stdout } = await promisify(execFile)('git', ['--no-optional-locks', ...args], {
        cwd: directory,
        timeout: GIT_TIMEOUT_MS,
      });
      return stdout.trim();
    } catch {
      return undefined;
    }
  };
  const [revision, rootDirectory, branch, remote, changes] = await Promise.all([
    git('rev-parse', 'HEAD'),
    git('rev-parse', '--show-toplevel'),
    git('symbolic-ref', '--quiet', '--short', 'HEAD'),
    git('remote', 'get-url', 'origin'),
    git('status', '--porcelain', '--untracked-files=no'),
  ]);
  if (revision === undefined) return {};
  return withoutUndefined({
    revision,
    rootDirectory,
    refName: branch ?? branchOfJob(env),
    repositoryUrl: remote === undefined ? undefined : browsableUrl(remote),
    isModified: changes === undefined ? undefined : changes !== '',
  });
}

/** CI checks out a commit, not a branch: the branch of the change on GitHub and GitLab. */
function branchOfJob(env: Environment): string | undefined {
  const names = [
    env.GITHUB_HEAD_REF,
    env.GITHUB_REF_NAME,
    env.CI_MERGE_REQUEST_SOURCE_BRANCH_NAME,
    env.CI_COMMIT_REF_NAME,
  ];
  return names.find((name) => name !== undefined && name !== '');
}

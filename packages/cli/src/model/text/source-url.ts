import type { CodeLocation, VersionControl } from '../types.js';
import { encodePart } from './well-formed.js';

/**
 * Address of the line at the commit that ran, as GitHub, GitLab and Gitea have it. Undefined outside of a repository, for
 * code of dependencies and of Node.js, and for a file that is not below the directory of the run.
 */
export function sourceUrl(
  { filePath, lineNumber }: CodeLocation,
  { directory, vcs }: { readonly directory: string; readonly vcs?: VersionControl },
): string | undefined {
  const { revision, rootDirectory = directory } = vcs ?? {};
  // A recording may come from anywhere: its address need not be one of a web page.
  const repositoryUrl = browsableUrl(vcs?.repositoryUrl ?? '');
  const path = filePath.replace(/^file:\/\//, '');
  if (repositoryUrl === undefined || revision === undefined) return undefined;
  if (!path.startsWith(`${rootDirectory}/`) || path.includes('/node_modules/')) return undefined;
  const encoded = path
    .slice(rootDirectory.length + 1)
    .split('/')
    .map(encodePart)
    .join('/');
  // GitLab's own form; the short one of GitHub and Gitea leads there by a redirect only on some versions.
  const view = /(^|\.)gitlab\./.test(new URL(repositoryUrl).hostname) ? '/-/blob' : '/blob';
  return `${repositoryUrl}${view}/${encodePart(revision)}/${encoded}${lineNumber > 0 ? `#L${lineNumber}` : ''}`;
}

/** `git@host:owner/name.git` and `https://user:token@host/owner/name.git` as `https://host/owner/name`. */
export function browsableUrl(remote: string): string | undefined {
  const [, sshHost, sshPath] = /^(?:[^@/]+@)?([^:/]+):(?!\/\/)(.+)$/.exec(remote) ?? [];
  const text = sshHost === undefined ? remote : `ssh://${sshHost}/${sshPath}`;
  if (!URL.canParse(text)) return undefined;
  const { protocol, host, hostname, pathname } = new URL(text);
  const isWeb = protocol === 'https:' || protocol === 'http:';
  if (!isWeb && protocol !== 'ssh:' && protocol !== 'git:') return undefined;
  // The port of SSH is not that of the web server.
  return `${protocol === 'http:' ? protocol : 'https:'}//${isWeb ? host : hostname}${pathname.replace(/(\.git)?\/?$/, '')}`;
}

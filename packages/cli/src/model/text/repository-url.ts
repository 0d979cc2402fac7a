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

/**
 * What decides whether a release may be published.
 * @typedef {object} ReleaseFacts
 * @property {NodeJS.ProcessEnv} environment
 * @property {readonly string[]} versions of the published packages
 * @property {readonly string[]} pendingChangesets
 * @property {readonly string[]} changedFiles that are not committed
 * @property {string} tagObject what `git cat-file tag` prints of the tag; empty where it is no annotated tag
 */

/** @typedef {{ title: string, isMet: boolean }} Condition */

/**
 * All of them must hold: a release is published by the release workflow, from a signed tag of the commit.
 * @param {ReleaseFacts} facts
 * @returns {Condition[]}
 */
export function releaseConditions({ environment, versions, pendingChangesets, changedFiles, tagObject }) {
  const [version] = versions;
  return [
    { title: 'runs in GitHub Actions', isMet: environment['GITHUB_ACTIONS'] === 'true' },
    {
      title: 'the job may ask for an OIDC token (permission `id-token: write`), for trusted publishing',
      isMet: Boolean(environment['ACTIONS_ID_TOKEN_REQUEST_URL'] && environment['ACTIONS_ID_TOKEN_REQUEST_TOKEN']),
    },
    {
      title: 'all published packages have the same version',
      isMet: version !== undefined && versions.every((other) => other === version),
    },
    {
      title: `runs for the tag ${tagOf(version ?? '?')}`,
      isMet: version !== undefined && environment['GITHUB_REF'] === `refs/tags/${tagOf(version)}`,
    },
    { title: 'the tag is signed', isMet: /^-----BEGIN (PGP|SSH) SIGNATURE-----$/m.test(tagObject) },
    { title: 'no changeset waits for a version', isMet: pendingChangesets.length === 0 },
    { title: 'every change is committed', isMet: changedFiles.length === 0 },
  ];
}

/** @param {string} version */
export function tagOf(version) {
  return `v${version}`;
}

const minimum = { major: 20, minor: 6 };

/**
 * The error message for a Node that is too old, or undefined.
 * @param {string} version as in `process.versions.node`
 * @returns {string | undefined}
 */
export function nodeVersionProblem(version) {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  if (major > minimum.major || (major === minimum.major && minor >= minimum.minor)) return undefined;
  return (
    `Expected Node.js ${minimum.major}.${minimum.minor} or later to start the workspace, got ${version}.\n` +
    'Install a current Node.js (https://nodejs.org) and run the same command again; ' +
    'the workspace installs everything else.'
  );
}

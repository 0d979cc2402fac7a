import { createRequire } from 'node:module';
import path from 'node:path';

const require = createRequire(import.meta.url);

/** The Node majors on which the published packages are tested. */
export const nodeMajors = Object.freeze([20, 22, 24, 26]);

// npm has no recent Node 24 for Apple silicon, and the build tools need 24.11: there, the workspace uses Node 26.
/** The Node major that the workspace's tools, demo and benchmarks run on. */
export const workspaceNodeMajor = process.platform === 'darwin' && process.arch === 'arm64' ? 26 : 24;

/** Returns the absolute path of the `node` executable of a major. */
export function nodeBinary(major = workspaceNodeMajor) {
  if (!nodeMajors.includes(major)) {
    throw new Error(`Expected one of the Node majors ${nodeMajors.join(', ')}, got ${major}.`);
  }
  const packageName = `node-${major}-${process.platform}-${process.arch}`;
  try {
    return path.join(path.dirname(require.resolve(`${packageName}/package.json`)), 'bin', 'node');
  } catch (cause) {
    throw new Error(
      `Expected Node ${major} in the optional dependency ${packageName} of packages/node-binaries, but it is not installed. ` +
        'Run `npm run setup` again; there is such a package only for Linux and macOS (x64, arm64).',
      { cause },
    );
  }
}

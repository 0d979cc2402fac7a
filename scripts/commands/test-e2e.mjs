import { runJest } from '../jest/run-jest.mjs';
import { splitArguments } from '../jest/run-tests.mjs';
import { allTestFiles, isNamed } from '../jest/test-files.mjs';
import { Failure } from '../lib/failure.mjs';
import { prepare } from '../lib/prepare.mjs';
import { ensureBuilt } from '../stack/build.mjs';
import { kustomizePart } from '../stack/kubernetes-parts.mjs';
import { actionlintPart, composePart, helmPart, parts } from '../stack/parts.mjs';

/**
 * `npm run test:e2e`: the tests of packages/e2e, against the real servers; arguments as for `npm test`.
 * @param {readonly string[]} commandArguments
 */
export async function main(commandArguments) {
  const { fragments, jestArguments } = splitArguments(commandArguments);
  const files = allTestFiles().filter((file) => file.kind === 'e2e' && isNamed(file, fragments));
  if (files.length === 0) {
    throw new Failure(`Expected a part of the path of a file in packages/e2e/test, got ${fragments.join(' ')}.`);
  }
  await prepare();
  // Here and not in a test: the first time it takes minutes, and it prints its progress.
  await ensureBuilt([...parts, composePart, actionlintPart, helmPart, kustomizePart], console.log);
  console.log('▸ End-to-end tests');
  return runJest('e2e', files, { tier: 'full', jestArguments });
}

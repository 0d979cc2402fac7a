// Every npm script of the workspace enters here: `node scripts/workspace.mjs <command> [arguments]`.
// A Node too old for the other files must still parse this file and lib/node-version.mjs, to report its version.
import { nodeVersionProblem } from './lib/node-version.mjs';

/** @typedef {{ main(commandArguments: readonly string[]): Promise<number> }} Command resolves to the exit code */

/** @type {Record<string, () => Promise<Command>>} */
const commands = {
  setup: () => import('./commands/setup.mjs'),
  build: () => import('./commands/build.mjs'),
  start: () => import('./commands/start.mjs'),
  test: () => import('./commands/test.mjs'),
  'test:full': () => import('./commands/test-full.mjs'),
  'test:unit': () => import('./commands/test-unit.mjs'),
  'test:integration': () => import('./commands/test-integration.mjs'),
  'test:long': () => import('./commands/test-long.mjs'),
  'test:field': () => import('./commands/test-field.mjs'),
  'test:e2e': () => import('./commands/test-e2e.mjs'),
  'test:kubernetes': () => import('./commands/test-kubernetes.mjs'),
  tally: () => import('./commands/tally.mjs'),
  lint: () => import('./commands/lint.mjs'),
  stack: () => import('./commands/stack.mjs'),
  bench: () => import('./commands/bench.mjs'),
  site: () => import('./commands/site.mjs'),
  evidence: () => import('./commands/evidence.mjs'),
  generate: () => import('./commands/generate.mjs'),
  api: () => import('./commands/api.mjs'),
  changeset: () => import('./commands/changeset.mjs'),
  release: () => import('./commands/release.mjs'),
  pnpm: () => import('./commands/pnpm.mjs'),
};

const [name = 'nothing', ...commandArguments] = process.argv.slice(2);
const problem = nodeVersionProblem(process.versions.node);
const load = Object.keys(commands).includes(name) ? commands[name] : undefined;
if (problem !== undefined) {
  fail(problem);
} else if (load === undefined) {
  fail(`Expected one of ${Object.keys(commands).join(', ')}, got ${name}.`);
} else {
  load()
    .then((command) => command.main(commandArguments))
    .then(
      (exitCode) => {
        process.exitCode = exitCode;
      },
      (error) => {
        fail(error.expected === true ? error.message : error.stack);
      },
    );
}

/** @param {string} message */
function fail(message) {
  console.error(`\n${message}`);
  process.exitCode = 1;
}

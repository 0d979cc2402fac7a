// Every npm script of the workspace enters here: `node scripts/workspace.mjs <command> [arguments]`.
// A Node that is too old for the rest must still be able to read this file and lib/node-version.mjs.
import { nodeVersionProblem } from './lib/node-version.mjs';

const commands = {
  setup: () => import('./commands/setup.mjs'),
  build: () => import('./commands/build.mjs'),
  start: () => import('./commands/start.mjs'),
  test: () => import('./commands/test.mjs'),
  'test:e2e': () => import('./commands/test-e2e.mjs'),
  tally: () => import('./commands/tally.mjs'),
  lint: () => import('./commands/lint.mjs'),
  bench: () => import('./commands/bench.mjs'),
  api: () => import('./commands/api.mjs'),
  pnpm: () => import('./commands/pnpm.mjs'),
};

const [name, ...commandArguments] = process.argv.slice(2);
const problem = nodeVersionProblem(process.versions.node);
if (problem !== undefined) fail(problem);
else if (!Object.hasOwn(commands, name)) {
  fail(`Expected one of ${Object.keys(commands).join(', ')}, got ${name === undefined ? 'nothing' : `"${name}"`}.`);
} else {
  commands[name]()
    .then((command) => command.main(commandArguments))
    .then((exitCode) => {
      process.exitCode = exitCode;
    })
    .catch((error) => {
      fail(error.expected === true ? error.message : error.stack);
    });
}

function fail(message) {
  console.error(`\n${message}`);
  process.exitCode = 1;
}

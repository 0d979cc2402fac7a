import { existsSync } from 'node:fs';
import path from 'node:path';

import { apiExtractorConfigs, apiReports } from '../lint/api-report.mjs';
import { checkTarball, pack } from '../lint/packed-packages.mjs';
import { workspacePackages } from '../lib/packages.mjs';
import { rootDirectory } from '../lib/paths.mjs';
import { prepare } from '../lib/prepare.mjs';
import { stepsSideBySide } from '../lib/progress.mjs';
import { runTool } from '../lib/toolchain.mjs';
import { typeCheckedDirectories } from '../lint/type-checked.mjs';

/** @typedef {import('../lib/progress.mjs').Step} Step */

/**
 * `npm run lint`: every static check; a failed one does not stop the others. Builds first, since packages use each
 * other's published types.
 */
export async function main() {
  await prepare();
  const failed = await stepsSideBySide(checks());
  if (failed.length === 0) {
    console.log('\nAll static checks passed.');
    return 0;
  }
  console.error(`\n${failed.join('\n')}`);
  return 1;
}

/** TypeScript 7 checks the types in a sixth of the time; ESLint's rules read them by the interface of TypeScript 6. */
const typeScript7 = 'node_modules/typescript7/bin/tsc';

/**
 * ESLint first: it takes longer than all others. In two parts, since one process uses one core.
 * @returns {Step[]}
 */
function checks() {
  const packages = workspacePackages();
  const published = packages.filter(({ isPublished }) => isPublished);
  const withReports = packages.filter(({ directory }) => apiExtractorConfigs(directory).length > 0);
  return [
    eslint('packages/cli', ['packages/cli']),
    eslint('all else', ['.', '--ignore-pattern', 'packages/cli/']),
    toolCheck('Words of the documentation', 'node', ['scripts/lint/words/main.mjs']),
    toolCheck('Links of the documentation', 'node', ['packages/site/src/main.ts', '--out', 'packages/site/temp/lint']),
    ...typeCheckedDirectories().map(({ name, directory }) =>
      toolCheck(`Types: ${name}`, 'node', [typeScript7, '-p', directory]),
    ),
    toolCheck('Prettier', 'prettier', ['.', '--check', '--log-level', 'warn']),
    toolCheck('Import rules', 'depcruise', ['--config', '.dependency-cruiser.mjs', ...importRoots()]),
    toolCheck('Unused files, exports and dependencies', 'knip', []),
    ...withReports.map(({ name, directory }) => ({
      title: `API report: ${name} (\`npm run api\` updates it)`,
      program: (/** @type {(text: Buffer) => void} */ onOutput) => apiReports(directory, 'check', { onOutput }),
    })),
    ...published.map((member) => ({
      title: `As published: ${member.name}`,
      program: async (/** @type {(text: Buffer) => void} */ onOutput) => {
        const hasTypes = apiExtractorConfigs(member.directory).length > 0;
        return checkTarball(await pack(member, { onOutput }), hasTypes, { onOutput });
      },
    })),
  ];
}

/**
 * @param {string} title
 * @param {string} tool
 * @param {readonly string[]} toolArguments
 * @returns {Step}
 */
function toolCheck(title, tool, toolArguments) {
  return { title, program: (onOutput) => runTool(tool, toolArguments, { onOutput }) };
}

/**
 * @param {string} what
 * @param {readonly string[]} eslintArguments
 */
function eslint(what, eslintArguments) {
  return toolCheck(`ESLint: ${what}`, 'eslint', [...eslintArguments, '--max-warnings', '0']);
}

function importRoots() {
  return ['packages', 'scripts', 'dashboards', 'semconv'].filter((name) => existsSync(path.join(rootDirectory, name)));
}

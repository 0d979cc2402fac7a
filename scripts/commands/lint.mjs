import { existsSync } from 'node:fs';
import path from 'node:path';

import { apiExtractorConfigs, apiReports } from '../lint/api-report.mjs';
import { checkTarball, pack } from '../lint/packed-packages.mjs';
import { workspacePackages } from '../lib/packages.mjs';
import { rootDirectory } from '../lib/paths.mjs';
import { prepare } from '../lib/prepare.mjs';
import { programStep } from '../lib/progress.mjs';
import { runTool } from '../lib/toolchain.mjs';
import { typeCheckedDirectories } from '../lint/type-checked.mjs';

/** @typedef {{ title: string, program: () => Promise<number> }} Check */

/**
 * `npm run lint`: every static check; a failed one does not stop the others. Builds first, since packages use each
 * other's published types.
 */
export async function main() {
  await prepare();
  /** @type {string[]} */
  const failed = [];
  for (const { title, program } of checks()) {
    await programStep(title, program).catch((/** @type {Error} */ error) => failed.push(error.message));
  }
  if (failed.length === 0) {
    console.log('\nAll static checks passed.');
    return 0;
  }
  console.error(`\n${failed.join('\n')}`);
  return 1;
}

/** @returns {Check[]} */
function checks() {
  const packages = workspacePackages();
  const published = packages.filter(({ isPublished }) => isPublished);
  const withReports = packages.filter(({ directory }) => apiExtractorConfigs(directory).length > 0);
  return [
    ...typeCheckedDirectories().map(({ name, directory }) => toolCheck(`Types: ${name}`, 'tsc', ['-p', directory])),
    toolCheck('ESLint', 'eslint', ['.', '--max-warnings', '0']),
    toolCheck('Prettier', 'prettier', ['.', '--check', '--log-level', 'warn']),
    toolCheck('Import rules', 'depcruise', ['--config', '.dependency-cruiser.mjs', ...importRoots()]),
    toolCheck('Unused files, exports and dependencies', 'knip', []),
    ...withReports.map(({ name, directory }) => ({
      title: `API report: ${name} (\`npm run api\` updates it)`,
      program: () => apiReports(directory, 'check'),
    })),
    ...published.map((member) => ({
      title: `As published: ${member.name}`,
      program: async () => checkTarball(await pack(member), apiExtractorConfigs(member.directory).length > 0),
    })),
  ];
}

/**
 * @param {string} title
 * @param {string} tool
 * @param {readonly string[]} toolArguments
 * @returns {Check}
 */
function toolCheck(title, tool, toolArguments) {
  return { title, program: () => runTool(tool, toolArguments) };
}

function importRoots() {
  return ['packages', 'scripts', 'dashboards', 'semconv'].filter((name) => existsSync(path.join(rootDirectory, name)));
}

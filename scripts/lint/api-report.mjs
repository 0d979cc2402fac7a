import { mkdirSync, readdirSync } from 'node:fs';
import path from 'node:path';

import { runTool } from '../lib/toolchain.mjs';

/**
 * Compares the public types of a package with its committed reports in `api/`, or updates the reports.
 * @param {string} directory of the package; each `api-extractor*.json` in it describes one entry point
 * @param {'check' | 'update'} mode
 * @param {Pick<import('../lib/run.mjs').RunOptions, 'onOutput'>} [options]
 * @returns {Promise<number>} the exit code
 */
export async function apiReports(directory, mode, options = {}) {
  mkdirSync(path.join(directory, 'api'), { recursive: true });
  for (const config of apiExtractorConfigs(directory)) {
    const update = mode === 'update' ? ['--local'] : [];
    const exitCode = await runTool('api-extractor', ['run', '--config', config, ...update], {
      ...options,
      cwd: directory,
    });
    if (exitCode !== 0) return exitCode;
  }
  return 0;
}

/** @param {string} directory */
export function apiExtractorConfigs(directory) {
  return readdirSync(directory).filter((name) => /^api-extractor.*\.json$/.test(name));
}

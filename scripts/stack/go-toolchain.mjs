import { spawn, spawnSync } from 'node:child_process';
import { getPriority, setPriority } from 'node:os';

import { Failure } from '../lib/failure.mjs';

const lastLinesKept = 30;
const lowPriority = 10;

/** @typedef {{ downloadedModules: number, compiledPackages: number }} BuildProgress */

/**
 * Throws if there is no Go; the message says what needs it and what works without.
 * @param {readonly string[]} titles of the parts to build
 */
export function requireGo(titles) {
  if (spawnSync('go', ['version'], { stdio: 'ignore' }).status === 0) return;
  throw new Failure(
    `Expected the Go toolchain (1.26 or newer) on PATH, found none. It is needed once, to build ${titles.join(', ')} ` +
      'from their Go modules into a cache. Install Go (https://go.dev/doc/install), or run the pipeline with ' +
      '`docker compose up`, which needs no Go.',
  );
}

/**
 * Runs `go build` at low priority. Rejects with the last lines that Go printed.
 * @param {object} options
 * @param {string} options.moduleDirectory
 * @param {readonly string[]} options.packages
 * @param {readonly string[]} options.tags
 * @param {string | undefined} [options.linkerFlags]
 * @param {boolean | undefined} [options.isStatic]
 * @param {string | undefined} [options.moduleFile] in place of the module's go.mod
 * @param {string} options.output
 * @param {(progress: BuildProgress) => void} options.onProgress
 * @returns {Promise<void>}
 */
export function goBuild({
  moduleDirectory,
  packages,
  tags,
  linkerFlags = '',
  isStatic = false,
  moduleFile,
  output,
  onProgress,
}) {
  const goArguments = [
    'build',
    '-v',
    '-mod=readonly',
    '-trimpath',
    '-buildvcs=false',
    `-ldflags=${`-s -w ${linkerFlags}`.trim()}`,
  ];
  if (moduleFile !== undefined) goArguments.push(`-modfile=${moduleFile}`);
  if (tags.length > 0) goArguments.push('-tags', tags.join(','));
  goArguments.push('-o', output, ...packages);

  return new Promise((resolve, reject) => {
    const child = spawn('go', goArguments, {
      cwd: moduleDirectory,
      stdio: ['ignore', 'ignore', 'pipe'],
      env: isStatic ? { ...process.env, CGO_ENABLED: '0' } : process.env,
    });
    // Not above the priority of this process, which would need root.
    if (child.pid !== undefined) setPriority(child.pid, Math.max(getPriority(), lowPriority));
    const progress = { downloadedModules: 0, compiledPackages: 0 };
    /** @type {string[]} */
    const lastLines = [];
    let unfinishedLine = '';
    child.stderr.setEncoding('utf8').on('data', (/** @type {string} */ text) => {
      const lines = (unfinishedLine + text).split('\n');
      unfinishedLine = lines.pop() ?? '';
      for (const line of lines) {
        if (line.startsWith('go: downloading ')) progress.downloadedModules++;
        else progress.compiledPackages++;
      }
      lastLines.push(...lines);
      lastLines.splice(0, lastLines.length - lastLinesKept);
      onProgress(progress);
    });
    child.once('error', reject);
    child.once('close', (code, signal) => {
      if (code === 0) {
        resolve();
        return;
      }
      const end = signal ?? `exit code ${code}`;
      const output = [...lastLines, unfinishedLine].join('\n');
      reject(
        new Failure(
          `Expected \`go ${goArguments.join(' ')}\` in ${moduleDirectory} to succeed, got ${end}:\n${output}`,
        ),
      );
    });
  });
}

import { execFile } from 'node:child_process';
import { cp, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';

export const run = promisify(execFile);

const root = path.resolve(import.meta.dirname, '../../..');
export const examples = path.join(root, 'examples');
export const INSTALL_TIMEOUT_MS = 240_000;
export const KILL_AFTER_MS = 60_000;

/** Packs the built instrumentation into a folder; returns the tarball. */
export async function packInstrumentation(directory: string): Promise<string> {
  const { stdout } = await run('npm', ['pack', '--json', '--pack-destination', directory], {
    cwd: path.join(root, 'packages/instrumentation-event-loop'),
  });
  const [{ filename }] = JSON.parse(stdout) as [{ filename: string }];
  return path.join(directory, filename);
}

/** Copies an example, which then has the packed build in place of the published package. Installs nothing yet. */
export async function copyExample(name: string, directory: string, tarball: string): Promise<void> {
  await cp(path.join(examples, name), directory, { recursive: true });
  const file = path.join(directory, 'package.json');
  const manifest = JSON.parse(await readFile(file, 'utf8')) as { dependencies: Record<string, string> };
  manifest.dependencies['@loopwatch/instrumentation-event-loop'] = `file:${tarball}`;
  await writeFile(file, JSON.stringify(manifest));
}

export async function npm(directory: string, ...arguments_: string[]): Promise<void> {
  await run('npm', arguments_, { cwd: directory, timeout: INSTALL_TIMEOUT_MS, env: environment({}) });
}

export async function install(directory: string): Promise<void> {
  await npm(directory, 'install', '--no-audit', '--no-fund', '--prefer-offline');
}

/** The environment of a user: what npm and the workspace set is not in it, and `node` is the one that runs the tests. */
export function environment(added: Readonly<Record<string, string>>): NodeJS.ProcessEnv {
  return {
    ...process.env,
    PATH: `${path.dirname(process.execPath)}:${process.env['PATH'] ?? ''}`,
    NODE_OPTIONS: '',
    NEXT_TELEMETRY_DISABLED: '1',
    ...added,
  };
}

/**
 * Sends the request of a README, which fails where the answer is an error, to the port on which the program listens.
 * Returns what it prints to stderr.
 */
export async function request(readme: string, port: string): Promise<string> {
  const curl = /^curl .*$/m.exec(readme)![0].replace('curl', 'curl --fail --silent --show-error');
  // A service has been up for a while when its first request arrives.
  await new Promise((resolve) => setTimeout(resolve, 2000));
  const command = curl.replace('localhost:3000', `localhost:${port}`);
  const { stderr } = await run('sh', ['-c', command], { timeout: KILL_AFTER_MS });
  return stderr;
}

export async function until(isTrue: () => boolean): Promise<void> {
  for (const deadline = Date.now() + KILL_AFTER_MS; !isTrue();) {
    if (Date.now() > deadline) throw new Error('Expected it within a minute.');
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

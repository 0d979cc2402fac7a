import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const execute = promisify(execFile);

/** Runs npm or another tool to its end. npm's settings for the workspace do not reach it. */
export async function runCommand(
  command: readonly string[],
  cwd: string,
  variables: Readonly<Record<string, string>> = {},
): Promise<void> {
  const env = Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !/^(npm_|INIT_CWD$|NODE_OPTIONS$)/i.test(name)),
  );
  const [file = '', ...args] = command;
  try {
    await execute(file, args, { cwd, env: { ...env, ...variables }, maxBuffer: 64 * 1024 * 1024 });
  } catch (cause) {
    const { stderr = '', stdout = '' } = cause as { stderr?: string; stdout?: string };
    throw new Error(`Expected \`${command.join(' ')}\` to succeed:\n${`${stdout}${stderr}`.slice(-2000)}`, { cause });
  }
}

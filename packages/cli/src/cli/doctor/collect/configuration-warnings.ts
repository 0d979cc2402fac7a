import { execFile } from 'node:child_process';
import path from 'node:path';
import process from 'node:process';

import type { Environment } from '../facts.js';

const TIMEOUT_MS = 15_000;

/**
 * Constructs the instrumentation, disabled, as the application has installed it, and prints what it logs. The package
 * itself is the one that knows its options. The first argument is a file in its folder.
 */
const SCRIPT = `
const load = require('node:module').createRequire(process.argv[1]);
const messages = [];
const add = (message) => messages.push(String(message));
const { diag, DiagLogLevel } = load('@opentelemetry/api');
const logger = { error: add, warn: add, info() {}, debug() {}, verbose() {} };
diag.setLogger(logger, { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true });
const { EventLoopInstrumentation } = load('@loopwatch/instrumentation-event-loop');
new EventLoopInstrumentation({ enabled: false });
process.stdout.write(JSON.stringify(messages));`;

/** What the instrumentation in that folder logs about the environment; nothing where it cannot be loaded. */
export async function configurationWarnings(
  instrumentationDirectory: string,
  workingDirectory: string,
  env: Environment,
): Promise<string[]> {
  const { NODE_OPTIONS: _options, ...variables } = env;
  const args = ['-e', SCRIPT, path.join(instrumentationDirectory, 'package.json')];
  const output = await new Promise<string>((resolve) => {
    execFile(
      process.execPath,
      args,
      { cwd: workingDirectory, env: { PATH: process.env.PATH, ...variables }, timeout: TIMEOUT_MS },
      (error, stdout) => {
        resolve(error ? '[]' : stdout);
      },
    );
  });
  try {
    return JSON.parse(output) as string[];
  } catch {
    return [];
  }
}

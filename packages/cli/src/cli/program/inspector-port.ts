import type Inspector from 'node:inspector';
import { createRequire } from 'node:module';
import process from 'node:process';

const load = createRequire(import.meta.url);

/**
 * Closes the inspector that this process has opened by `NODE_OPTIONS=--inspect`: it is meant for the program, which could
 * not open its own on the same port. One that this process was given by itself (`node --inspect …/cli.cjs`) stays.
 */
export function leaveInspectorPort(execArgv: readonly string[]): void {
  // Its modules take longer to load than the rest of what each command needs.
  if (!process.env.NODE_OPTIONS?.includes('--inspect')) return;
  const inspector = load('node:inspector') as typeof Inspector;
  if (inspector.url() === undefined || execArgv.some((argument) => argument.startsWith('--inspect'))) return;
  inspector.close();
}

import inspector from 'node:inspector';

/**
 * Closes the inspector that this process has opened by `NODE_OPTIONS=--inspect`: it is meant for the program, which could
 * not open its own on the same port. One that this process was given by itself (`node --inspect …/cli.mjs`) stays.
 */
export function leaveInspectorPort(execArgv: readonly string[]): void {
  if (inspector.url() === undefined || execArgv.some((argument) => argument.startsWith('--inspect'))) return;
  inspector.close();
}

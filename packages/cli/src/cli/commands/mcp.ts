import path from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';

import { AllowedFiles } from '../mcp/allowed-files.js';
import { Recorder } from '../mcp/record.js';
import { createServer, serveStdio } from '../mcp/server.js';

export interface McpOptions {
  /** The project; default: where it was started. */
  readonly directory?: string;
  /** Directories besides it whose files the tools may use. */
  readonly allow?: readonly string[];
  /** Of Loopwatch. */
  readonly version: string;
}

/** This command line, which `record` runs. */
const CLI = fileURLToPath(new URL('./cli.cjs', import.meta.url));

/** Answers the tools of coding agents on stdin and stdout until the client ends. */
export async function mcp({ directory, allow = [], version }: McpOptions): Promise<void> {
  const workingDirectory = path.resolve(directory ?? process.cwd());
  // Clients without a project start it in the root of the file system: all files would be below it.
  if (path.dirname(workingDirectory) === workingDirectory) {
    throw new Error(
      `Expected a project to work in, got ${workingDirectory}. Start it there, or give --directory DIR: docs/mcp.md.`,
    );
  }
  const recorder = new Recorder(CLI);
  const files = new AllowedFiles(workingDirectory, allow);
  try {
    await serveStdio(createServer(version, { files, recorder, workingDirectory }));
  } finally {
    recorder.end();
  }
}

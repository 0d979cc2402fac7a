import process from 'node:process';
import { fileURLToPath } from 'node:url';

import { AllowedFiles } from '../mcp/allowed-files.js';
import { Recorder } from '../mcp/record.js';
import { createServer, serveStdio } from '../mcp/server.js';

export interface McpOptions {
  /** Directories besides the working directory whose files the tools may use. */
  readonly allow?: readonly string[];
  /** Of Loopwatch. */
  readonly version: string;
}

/** This command line, which `record` runs. */
const CLI = fileURLToPath(new URL('./cli.mjs', import.meta.url));

/** Answers the tools of coding agents on stdin and stdout until the client ends. */
export async function mcp({ allow = [], version }: McpOptions): Promise<void> {
  const workingDirectory = process.cwd();
  const recorder = new Recorder(CLI);
  const files = new AllowedFiles(workingDirectory, allow);
  try {
    await serveStdio(createServer(version, { files, recorder, workingDirectory }));
  } finally {
    recorder.end();
  }
}

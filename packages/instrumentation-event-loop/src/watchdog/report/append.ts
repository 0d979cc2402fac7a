import fs from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { OtlpEndpoint } from '../../contract/hang-report.js';

/**
 * Appends the request to the file as a line of JSON, `{ headers, body }`, with one system call, so that lines of several
 * processes do not mix. The file is not created: a directory that its owner has deleted must not come back.
 */
export function append({ url, headers }: OtlpEndpoint, body: string): void {
  const { O_APPEND, O_WRONLY } = fs.constants;
  const file = fs.openSync(fileURLToPath(url), O_APPEND | O_WRONLY);
  try {
    fs.writeSync(file, `{"headers":${JSON.stringify(headers)},"body":${body}}\n`);
  } finally {
    fs.closeSync(file);
  }
}

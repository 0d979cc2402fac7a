import { fileURLToPath } from 'node:url';

import { nodeBinary } from '@loopwatch/node-binaries';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';

const CLI = fileURLToPath(new URL('../../dist/cli.cjs', import.meta.url));

/** What a tool has answered. */
export interface ToolAnswer {
  readonly text: string;
  readonly isError: boolean;
  readonly structured: Record<string, unknown>;
  /** Of the whole answer. */
  readonly bytes: number;
}

export interface McpClient {
  readonly client: Client;
  readonly pid: number;
  /** All that the server has written to stderr. */
  stderr(): string;
  call(name: string, given: Readonly<Record<string, unknown>>, signal?: AbortSignal): Promise<ToolAnswer>;
  close(): Promise<void>;
}

/** Starts `loopwatch mcp` as a client does. The SDK checks each structured answer against the schema of its tool. */
export async function startMcp(cwd: string, args: readonly string[] = []): Promise<McpClient> {
  const node = nodeBinary();
  const path = `${node.replace(/[^/\\]+$/, '')}:${process.env['PATH'] ?? ''}`;
  const transport = new StdioClientTransport({
    command: node,
    args: [CLI, 'mcp', ...args],
    cwd,
    env: { PATH: path },
    stderr: 'pipe',
  });
  let stderr = '';
  transport.stderr?.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
  const client = new Client({ name: 'test', version: '1.0.0' });
  await client.connect(transport);
  await client.listTools();
  return {
    client,
    pid: transport.pid!,
    stderr: () => stderr,
    async call(name, given, signal) {
      const options = { timeout: 180_000, ...(signal && { signal }) };
      const result = await client.callTool({ name, arguments: given }, undefined, options);
      const [content] = result.content as { text: string }[];
      return {
        text: content?.text ?? '',
        isError: result.isError === true,
        structured: (result.structuredContent ?? {}) as Record<string, unknown>,
        bytes: Buffer.byteLength(JSON.stringify(result)),
      };
    },
    close: () => client.close(),
  };
}

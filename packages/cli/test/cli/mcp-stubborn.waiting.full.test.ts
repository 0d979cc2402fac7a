import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { expect, test } from '@jest/globals';

import { fixture } from '../support/cli.js';
import { startMcp } from '../support/mcp-client.js';

const onLinux = process.platform === 'linux' ? test : test.skip;

onLinux('record keeps the recording of a program that does not end by SIGTERM at the time limit', async () => {
  const directory = await mkdtemp(path.join(tmpdir(), 'loopwatch-mcp-stubborn-'));
  const mcp = await startMcp(directory);
  try {
    const command = ['node', fixture('blocks-and-ignores-sigterm.cjs')];
    const { text, structured } = await mcp.call('record', { command, seconds: 2 });
    expect(structured).toMatchObject({ recordings: [{ ended: 'SIGKILL, at the time limit', watchedProcesses: 1 }] });
    expect(text).toContain('answerSlowly');
  } finally {
    await mcp.close();
    await rm(directory, { recursive: true });
  }
});

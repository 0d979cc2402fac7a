import { cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { afterAll, beforeAll, expect, jest, test } from '@jest/globals';

import { fixture } from '../support/cli.js';
import { type McpClient, startMcp } from '../support/mcp-client.js';

/*
 * An agent by a script: it has the tools alone, and edits the code of the function that they name. Its program is a copy of
 * the built demo, whose mistakes it mends one after the other.
 */

jest.setTimeout(20 * 60_000);

const RUNS = 4;
const DEMO = path.resolve(import.meta.dirname, '../../../demo');

/** What the agent knows to do about a function. */
const FIXES: Readonly<Record<string, readonly [RegExp, string]>> = {
  createSpans: [/query\.fixed === "1" \? createSpansByIndex/, 'true ? createSpansByIndex'],
  rankByDuration: [/=> fixed \? rankOnce/, '=> true ? rankOnce'],
  listSchedules: [/if \(query\.fixed === "0"\) return/, 'if (false) return'],
};

let directory: string;
let mcp: McpClient;
beforeAll(async () => {
  directory = await mkdtemp(path.join(tmpdir(), 'loopwatch-agent-'));
  await cp(path.join(DEMO, 'dist'), path.join(directory, 'dist'), { recursive: true });
  await symlink(path.join(DEMO, 'node_modules'), path.join(directory, 'node_modules'));
  await cp(fixture('drive-demo.mjs'), path.join(directory, 'drive-demo.mjs'));
  await writeFile(path.join(directory, 'package.json'), '{ "type": "module" }');
  mcp = await startMcp(directory);
});
afterAll(async () => {
  await mcp.close();
  await rm(directory, { recursive: true });
});

const service = (): string => path.join(directory, 'dist/service.mjs');

async function record(name: string): Promise<string[]> {
  const command = ['node', 'drive-demo.mjs'];
  const answer = await mcp.call('record', { command, runs: RUNS, seconds: 120, output: `${name}.json` });
  expect(answer).toMatchObject({ isError: false });
  const { recordings } = answer.structured as { recordings: { file: string; ended: string }[] };
  expect(recordings.map(({ ended }) => ended)).toEqual(Array<string>(RUNS).fill('exit code 0'));
  return recordings.map(({ file }) => file);
}

async function edit(pattern: RegExp, replacement: string): Promise<void> {
  const text = await readFile(service(), 'utf8');
  expect(text).toMatch(pattern);
  await writeFile(service(), text.replace(pattern, replacement));
}

interface Listed {
  readonly id: string;
  readonly function?: string;
}

test('a scripted agent mends three mistakes of the demo, and is told "better" or "gone" for them alone', async () => {
  const transcript: string[] = [];
  const verify = async (before: string[], after: string[], culprit: string): Promise<unknown> => {
    const { structured, text } = await mcp.call('verify_fix', { before, after, culprit });
    transcript.push(text);
    return structured['verdict'];
  };
  let before = await record('before');
  const listed = await mcp.call('list_culprits', { recordings: before });
  const culprits = (listed.structured['culprits'] as Listed[]).filter((each) => (each.function ?? '') in FIXES);
  expect(culprits.map((each) => each.function).sort()).toEqual(Object.keys(FIXES).sort());

  const [first] = culprits;
  await edit(/^/, '// A comment, which makes nothing faster.\n');
  expect(['same', 'worse']).toContain(await verify(before, await record('comment'), first!.id));
  await edit(/createSpans\b/g, 'createSpansQuickly');
  const scan = culprits.find((each) => each.function === 'createSpans')!;
  expect(['same', 'worse']).toContain(await verify(before, await record('renamed'), scan.id));
  await edit(/createSpansQuickly/g, 'createSpans');

  for (const { id, function: name = '' } of culprits) {
    const { structured } = await mcp.call('explain_culprit', { recordings: before, culprit: id });
    expect(structured).toMatchObject({ function: name, advice: expect.any(String) });
    await edit(...FIXES[name]!);
    const after = await record(`after-${name}`);
    expect([name, await verify(before, after, id)]).toEqual([name, expect.stringMatching(/^(gone|better)$/)]);
    before = after;
  }
  console.log(transcript.join('\n'));
});

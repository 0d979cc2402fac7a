import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { nodeBinary } from '@loopwatch/node-binaries';
import { changesOf, documentedChanges, kitDirectory, type ProcessState, sampledMajors } from '@loopwatch/test-support';

import { expectSuccess, fixture, startCli } from '../support/cli.js';
import { TargetProcess } from '../support/target.js';

type States = Readonly<Record<'main' | 'worker', ProcessState>>;

const threads = ['main', 'worker'] as const;
const documented = documentedChanges();
/** The watchdog thread ends half a second after the rest, and a busy host is slow to end a thread. */
const LEFT_TIMEOUT_MS = 15_000;

// Node.js 22 and later read this file in a thread of its own: it may be open, or not, when the state is noted.
delete process.env.NODE_EXTRA_CA_CERTS;

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(path.join(tmpdir(), 'loopwatch-changes-test-'));
});
afterEach(async () => {
  await rm(directory, { recursive: true, force: true });
});

const programIn = (file: string): string[] => [
  '--expose-internals',
  '--no-warnings',
  '--inspect-port=0',
  fixture('notes-state.cjs'),
  path.join(kitDirectory, 'process-state.cjs'),
  file,
];

/** Has the program write its state, and reads it. */
async function noteState(pid: number, file: string): Promise<States> {
  await rm(file, { force: true });
  process.kill(pid, 'SIGUSR2');
  for (let tries = 0; tries < 400; tries++) {
    await sleep(50);
    const text = await readFile(file, 'utf8').catch(() => '');
    if (text.endsWith('}')) return JSON.parse(text) as States;
  }
  throw new Error(`Expected process ${pid} to write its state to ${file} within 20 s.`);
}

/** The program loads what it needs for the first state. */
async function noteSecondState(pid: number, file: string): Promise<States> {
  await noteState(pid, file);
  return noteState(pid, file);
}

/** The changes of each thread that docs/evidence/process-changes.md does not have. */
function undocumented(states: States, control: States, isDocumented: (change: (typeof documented)[number]) => boolean) {
  return threads.flatMap((thread) => {
    const known = documented.filter((row) => isDocumented(row) && row.threads.includes(thread)).map(({ name }) => name);
    return changesOf(states[thread], control[thread])
      .filter((name) => !known.includes(name))
      .map((name) => `${thread}: ${name}`);
  });
}

// 20 and 26 are those of what the instrumentation changes.
test.each(sampledMajors(22, 24))(
  'what loopwatch run and attach change is documented, and attach leaves nothing else: Node.js %d',
  async (major) => {
    const file = path.join(directory, 'state.json');
    const target = TargetProcess.command(nodeBinary(major), ...programIn(file));
    await using _target = target;
    await target.waitFor(/ready \d+\n/);
    const before = await noteSecondState(target.pid, file);

    // Its stderr is none, as that of the target.
    const under = ['sh', '-c', 'exec "$@" 2>/dev/null', 'sh'];
    const run = startCli(['run', '--', 'node', ...programIn(file)], { major, under });
    const [, runPid] = await run.waitFor(/ready (\d+)\n/);
    const underRun = await noteSecondState(Number(runPid), file);
    process.kill(Number(runPid), 'SIGKILL');
    await run.result;
    expect(undocumented(underRun, before, ({ ways }) => ways.includes('run'))).toEqual([]);

    const attach = startCli(['attach', String(target.pid)], { env: { TMPDIR: directory } });
    await attach.waitFor(/Attached to process/);
    const attached = await noteState(target.pid, file);
    attach.child.kill('SIGINT');
    expectSuccess(await attach.result);
    expect(undocumented(attached, before, ({ ways }) => ways.includes('run') || ways.includes('attach'))).toEqual([]);

    const deadline = performance.now() + LEFT_TIMEOUT_MS;
    const staying = async (): Promise<string[]> =>
      undocumented(await noteState(target.pid, file), before, ({ ways, stays }) => ways.includes('attach') && stays);
    let left = await staying();
    while (left.length > 0 && performance.now() < deadline) left = await staying();
    expect(left).toEqual([]);
    // What is there all the time is found, which shows that the comparisons can fail.
    for (const thread of threads) {
      const found = changesOf(underRun[thread], before[thread]);
      const rows = documented.filter(
        ({ ways, when, threads: of }) => ways.includes('run') && when === 'enabled' && of.includes(thread),
      );
      expect([thread, rows.map(({ name }) => name).filter((name) => !found.includes(name))]).toEqual([thread, []]);
    }
  },
  120_000,
);

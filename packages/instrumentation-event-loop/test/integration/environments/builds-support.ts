import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';

import { nodeBinary } from '@loopwatch/node-binaries';
import { epochMs } from '@loopwatch/test-support';
import type { ProgramTree, RunResult, SpanRecord } from '@loopwatch/test-support';

import { expectCleanExit, runUnstarved } from '../support.ts';

/** One Node.js major is enough: what a build writes is the same on each. */
const combination = { nodeMajor: 24 } as const;

/** What a program prints of a block that it has made. */
export interface Task {
  /** The function that blocks, without its class. */
  readonly name: string;
  /** Its source, from the root of the build on. */
  readonly file: string;
  readonly startEpochMs: number;
  readonly endEpochMs: number;
}

/** The tasks whose block has another place, or no culprit, and those whose culprit has another name. */
export interface Misses {
  readonly places: string[];
  readonly names: string[];
}

/** A folder of fixtures with a script `build.mjs`, which makes one of several builds in a folder below it. */
export class Builds {
  readonly #tree: ProgramTree;
  readonly #directory: string;

  constructor(tree: ProgramTree, fixture: string) {
    this.#tree = tree;
    this.#directory = path.join(tree.directory, fixture);
  }

  async names(): Promise<readonly string[]> {
    return JSON.parse(await this.#build('--list')) as string[];
  }

  /** Makes a build and runs it. `isCopied`: the build is made of a copy of the sources, in its own folder. */
  async run(
    name: string,
    { isCopied = false } = {},
  ): Promise<{ readonly tasks: readonly Task[]; readonly misses: Misses }> {
    const folder = await mkdtemp(path.join(this.#directory, 'out-'));
    try {
      const program = /^program: (.*)$/m.exec(await this.#build(name, folder))![1]!;
      const result = await runUnstarved({
        combination,
        tree: this.#tree,
        program: path.relative(this.#tree.directory, program),
        env: {
          NODE_ENV: 'production',
          NEXT_TELEMETRY_DISABLED: '1',
          REQUESTS: path.join(this.#directory, 'requests.cjs'),
        },
      });
      expectCleanExit(result);
      const tasks = tasksOf(result);
      return { tasks, misses: await missesOf(result, tasks, isCopied ? folder : this.#directory) };
    } finally {
      await rm(folder, { recursive: true });
    }
  }

  async #build(...args: readonly string[]): Promise<string> {
    const script = path.join(this.#directory, 'build.mjs');
    const { stdout } = await promisify(execFile)(nodeBinary(combination.nodeMajor), [script, ...args], {
      cwd: this.#directory,
      timeout: 180_000,
    });
    return stdout;
  }
}

/** One a line. */
function tasksOf({ stdout }: RunResult): Task[] {
  return stdout.split('\n').flatMap((line) => (line.startsWith('{') ? [JSON.parse(line) as Task] : []));
}

async function missesOf({ spans }: RunResult, tasks: readonly Task[], root: string): Promise<Misses> {
  const misses: Misses = { places: [], names: [] };
  for (const task of tasks) {
    const { name } = task;
    const file = path.join(root, task.file);
    const place = blockOf(spans, task)?.attributes ?? {};
    const [first, last] = linesOf(name, (await readFile(file, 'utf8')).split('\n'));
    const line = Number(place['code.line.number']);
    const functionName = String(place['code.function.name']);
    const miss = `${name}: ${functionName} ${String(place['code.file.path'])}:${line}`;
    if (place['code.file.path'] !== file || !(line >= first && line <= last)) misses.places.push(miss);
    if (functionName.split('.').at(-1) !== name) misses.names.push(miss);
  }
  return misses;
}

function blockOf(spans: readonly SpanRecord[], { startEpochMs, endEpochMs }: Task): SpanRecord | undefined {
  return spans.find(
    ({ name, startTime, endTime }) =>
      name === 'event-loop-blocked' && epochMs(startTime) < endEpochMs && epochMs(endTime) > startEpochMs,
  );
}

/** First and last line of the function. */
function linesOf(name: string, lines: readonly string[]): readonly [number, number] {
  const first = lines.findIndex((line) => line.includes(`${name}(`) || line.includes(`${name} =`)) + 1;
  return [first, lines.findIndex((line, i) => i >= first && /^ {0,2}\};?$/.test(line)) + 1];
}

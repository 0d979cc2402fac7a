import { readFileSync } from 'node:fs';
import path from 'node:path';

import { repositoryDirectory } from './paths.ts';

/** What kit/process-state.cjs has noted: texts by the names of what they describe. */
export type ProcessState = Readonly<Record<string, string>>;

/** How the instrumentation gets into a process. */
export type Way = 'code' | 'register' | 'run' | 'attach';

/** A row of the table of docs/evidence/process-changes.md. */
export interface DocumentedChange {
  readonly name: string;
  readonly threads: readonly ('main' | 'worker')[];
  readonly ways: readonly Way[];
  readonly when: 'enabled' | 'starting' | 'sometimes';
  /** Also after `disable()`. */
  readonly stays: boolean;
}

/** Differs between two runs of one program, or belongs to the test: any `--import` takes `main` from `require`. */
const VOLATILE =
  /^(process\.(pid|ppid|title|argv0|_eventsCount)|Module\.prototype\.require\.main|worker_threads\.threadId|active resource .*|descriptor [012] .*)$/;
/** Symbols of OpenTelemetry's API, which a program without the instrumentation has loaded a moment later. */
const OF_OPENTELEMETRY = /^globalThis\[Symbol\((io\.)?opentelemetry/;
/** Only more of them is a change: a count may be smaller because the state was noted a moment later. */
const COUNTED = /^(handle|thread|descriptor|timers of|listener of|performance observers)/;

/** The names of what is another in `state` than in `control`, as docs/evidence/process-changes.md has them. */
export function changesOf(state: ProcessState, control: ProcessState): string[] {
  const keys = [...new Set([...Object.keys(state), ...Object.keys(control)])];
  const changed = new Set(keys.filter((key) => isChanged(key, state[key], control[key])));
  const names = [...changed]
    .filter((key) => !isMadeAtFirstUse(state[key], control[key]))
    .filter((key) => !parentsOf(key).some((parent) => changed.has(parent)))
    .map(nameOf);
  return [...new Set(names)].filter((name) => !VOLATILE.test(name) && !OF_OPENTELEMETRY.test(name)).sort();
}

function isChanged(key: string, text: string | undefined, controlText: string | undefined): boolean {
  if (text === controlText) return false;
  return !COUNTED.test(key) || countOf(text) > countOf(controlText);
}

/** A property that Node.js makes at its first use. */
function isMadeAtFirstUse(text: string | undefined, controlText: string | undefined): boolean {
  return controlText?.startsWith('accessor') === true && text?.startsWith('accessor') === false;
}

/** The sum, where there are several numbers. */
function countOf(text = '0'): number {
  return text.split(',').reduce((sum, number) => sum + Number(number), 0);
}

function parentsOf(key: string): string[] {
  return [...key.matchAll(/[.[]/g)].map(({ index }) => key.slice(0, index)).filter((parent) => parent !== '');
}

/** Without numbers that change, and as users know it. */
function nameOf(key: string): string {
  return key
    .replace(/^key /, '')
    .replace(/\.\d+(\)\]|$)/, '$1')
    .replace(/^module\.prototype/, 'Module.prototype')
    .replace(/^worker_threads\.Worker\./, 'Worker.')
    .replace(/^process\._preload_modules\..*/, 'process._preload_modules')
    .replace(/^timers of.*/, 'timer')
    .replace(/^thread .*/, 'thread')
    .replace(/^handle (pipe|tcp) .*/, 'handle of a connection')
    .replace(/^(handle (?!of )\w+) .*/, '$1')
    .replace(/^descriptor .*(\/records\.jsonl|\(deleted\))/, 'descriptor of the channel')
    .replace(/^descriptor (pipe|anon_inode).*/, 'descriptor of an event loop')
    .replace(/^descriptor socket.*/, 'descriptor of a socket')
    .replace(/^descriptor \/proc\/N\/task\/N\//, 'descriptor of /proc/self/task/N/');
}

/** Reads the table between the markers in docs/evidence/process-changes.md. */
export function documentedChanges(): DocumentedChange[] {
  const page = readFileSync(path.join(repositoryDirectory, 'docs/evidence/process-changes.md'), 'utf8');
  const [, table = ''] = /<!-- changes -->\n([^]*?)<!-- end of changes -->/.exec(page) ?? [];
  const rows = table
    .split('\n')
    .filter((line) => line.startsWith('|'))
    .slice(2);
  return rows.map((row) => {
    const [name = '', threads = '', ways = '', stays = ''] = row
      .split('|')
      .slice(1)
      .map((cell) => cell.trim());
    return {
      name: name.replaceAll('`', ''),
      threads: threads === 'all' ? ['main', 'worker'] : [threads as 'main' | 'worker'],
      ways: ways.startsWith('all') ? ['code', 'register', 'run'] : waysOf(ways),
      when: ways.endsWith('at the start') ? 'starting' : ways.endsWith('at times') ? 'sometimes' : 'enabled',
      stays: stays.startsWith('stays'),
    };
  });
}

function waysOf(cell: string): Way[] {
  return (['code', 'register', 'run', 'attach'] as const).filter((way) => cell.includes(way));
}

import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';

import { pack, unpack } from './codec.ts';
import { storeDirectory } from './record/record.ts';
import type { Ticks } from './record/ticks.ts';
import type { RunRecord } from './record/run-subject.ts';
import type { Recorded } from './recorder/recorded.ts';
import { recordingsDirectory } from './recordings.ts';
import { spanKey } from './recording.ts';
import type { Profile, RecordedRun, Truth } from './recording.ts';

const profilesFile = path.join(recordingsDirectory, 'profiles.json');

/** Writes the recordings of the repository from the runs of the store. */
export function packStore(): void {
  const files = readdirSync(storeDirectory).filter((file) => file.endsWith('.json'));
  const runs = new Map<string, RecordedRun[]>();
  const profiles: Profile[] = [];
  const ticks = new Map<string, Ticks>();
  for (const file of files.sort()) {
    const record = JSON.parse(readFileSync(path.join(storeDirectory, file), 'utf8')) as RunRecord;
    profiles.push(...profilesOf(record));
    for (const { id, ...counts } of record.ticks ?? []) ticks.set(keyOf(record, id), counts);
    if (/\.(functions|ticks)\.json$/.test(file) || record.exitCode !== 0) continue;
    const name = `node${record.nodeMajor}-${record.load}`;
    const pass = Number(file.split('.').at(-2));
    runs.set(name, [...(runs.get(name) ?? []), runOf(record, pass)]);
  }
  if (existsSync(recordingsDirectory)) rmSync(recordingsDirectory, { recursive: true });
  mkdirSync(recordingsDirectory);
  for (const [name, some] of runs) {
    const data = pack(some);
    assertSame(unpack(data), some, name);
    writeFileSync(path.join(recordingsDirectory, `${name}.json.br`), data);
    const periods = some.reduce((sum, run) => sum + run.periods.length, 0);
    console.log(`${name}: ${some.length} runs, ${periods} periods, ${(data.length / 1024).toFixed(0)} KiB`);
  }
  writeFileSync(profilesFile, linesOf(profiles.map((profile) => withTicks(profile, ticks))));
}

/** Adds the profiles of the store to those of the repository, or replaces them; the recordings stay. */
export function packProfiles(): void {
  const added: Profile[] = [];
  const ticks = new Map<string, Ticks>();
  for (const file of readdirSync(storeDirectory).filter((name) => /\.(functions|ticks)\.json$/.test(name))) {
    const record = JSON.parse(readFileSync(path.join(storeDirectory, file), 'utf8')) as RunRecord;
    added.push(...profilesOf(record));
    for (const { id, ...counts } of record.ticks ?? []) ticks.set(keyOf(record, id), counts);
  }
  const known = (JSON.parse(readFileSync(profilesFile, 'utf8')) as Profile[]).map(
    (profile) => [keyOf(profile, profile.id), profile] as const,
  );
  const replaced = added.map((profile) => [keyOf(profile, profile.id), withTicks(profile, ticks)] as const);
  const profiles = [...new Map([...known, ...replaced])].sort(([left], [right]) => (left < right ? -1 : 1));
  writeFileSync(profilesFile, linesOf(profiles.map(([, profile]) => profile)));
  console.log(`${replaced.length} profiles written, ${profiles.length} in all.`);
}

function keyOf({ subject, nodeMajor }: Pick<Profile, 'subject' | 'nodeMajor'>, id: string): string {
  return `${subject} ${nodeMajor} ${id}`;
}

function withTicks(profile: Profile, ticks: ReadonlyMap<string, Ticks>): Profile {
  const counts = ticks.get(keyOf(profile, profile.id));
  return counts === undefined ? profile : { ...profile, ticks: counts };
}

function assertSame(got: readonly RecordedRun[], expected: readonly RecordedRun[], name: string): void {
  const plain = (runs: readonly RecordedRun[]): string => JSON.stringify(sorted(runs));
  if (plain(got) !== plain(expected))
    throw new Error(`Expected ${name} to be read as it was written, got something else.`);
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (value === null || typeof value !== 'object') return value;
  const entries = Object.entries(value).filter(([, each]) => each !== undefined);
  return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)).map(([key, each]) => [key, sorted(each)]));
}

function linesOf(values: readonly unknown[]): string {
  return `[\n${values.map((value) => JSON.stringify(value)).join(',\n')}\n]\n`;
}

/** The run with names for its spans instead of the ids, which are random. */
function runOf(record: RunRecord, pass: number): RecordedRun {
  const keys = new Map<string, string>();
  const opaque = (key: string): string => {
    if (key !== '' && !keys.has(key)) keys.set(key, `s${keys.size + 1}`);
    return keys.get(key) ?? '';
  };
  const names = new Map(record.spans.map(({ spanId, name }) => [spanId, name]));
  return {
    subject: record.subject,
    nodeMajor: record.nodeMajor,
    load: record.load,
    pass,
    isCalm: record.machine.isCalm,
    machine: record.machine.before,
    truths: record.truths.map((truth): Truth => {
      const { id, threadId, startNowMs, endNowMs, cpuMs, runQueueMs } = truth;
      const quota = record.quota.find((each) => each.threadId === threadId && Math.abs(each.endNowMs - endNowMs) < 5);
      return {
        id,
        threadId,
        ...rounded({ startNowMs, endNowMs, cpuMs, runQueueMs, throttledMs: quota?.throttledMs }),
        gcMs: micro(gcWithin(record, truth)),
        span: opaque(spanKey(truth)),
        ...(truth.spanId !== undefined && names.has(truth.spanId) && { spanName: names.get(truth.spanId)! }),
      } as Truth;
    }),
    periods: record.periods.map((period) => ({
      ...withFramesOnce(period),
      contexts: period.contexts.map((context) => ({ ...context, span: opaque(context.span) })),
    })),
  };
}

/** V8's frames of one place may be several objects, which the process knows to be the same. */
function withFramesOnce(period: Recorded): Recorded {
  const frames: Recorded['frames'][number][] = [];
  const places = new Map<string, number>();
  const moved = period.frames.map((frame) => {
    const key = JSON.stringify(frame);
    const place = places.get(key) ?? frames.push(frame) - 1;
    places.set(key, place);
    return place;
  });
  return {
    ...period,
    frames,
    mapped: period.mapped.map(([frame, caller, to]) => [moved[frame]!, caller < 0 ? caller : moved[caller]!, to]),
    period: {
      ...period.period,
      samples: period.period.samples.map((sample) => ({ ...sample, frames: sample.frames.map((at) => moved[at]!) })),
    },
  };
}

function gcWithin({ gc }: RunRecord, { threadId, startNowMs, endNowMs }: RunRecord['truths'][number]): number {
  return gc
    .filter((pause) => pause.threadId === threadId)
    .reduce(
      (sum, pause) => sum + Math.max(0, Math.min(pause.endNowMs, endNowMs) - Math.max(pause.startNowMs, startNowMs)),
      0,
    );
}

/** One for each subject, major and block; blocks of the same name are added up. */
function profilesOf({ subject, nodeMajor, machine, profiles }: RunRecord): Profile[] {
  const byId = new Map<string, RunRecord['profiles'][number][]>();
  for (const profile of profiles) byId.set(profile.id, [...(byId.get(profile.id) ?? []), profile]);
  return [...byId].map(([id, some]) => {
    const functions = new Map<string, Profile['functions'][number]>();
    for (const { functionName, url, line, ms } of some.flatMap((each) => each.functions)) {
      if (url.endsWith('/measure.cjs') || url.startsWith('/kit/') || url.startsWith('file:///kit/')) continue;
      const key = `${url}:${line}:${functionName}`;
      functions.set(key, { functionName, url, line, ms: micro(ms + (functions.get(key)?.ms ?? 0)) });
    }
    const sum = (kind: 'gcMs' | 'otherMs'): number => micro(some.reduce((total, each) => total + each[kind], 0));
    return {
      subject,
      nodeMajor,
      id,
      isCalm: machine.isCalm,
      gcMs: sum('gcMs'),
      otherMs: sum('otherMs'),
      functions: [...functions.values()],
    };
  });
}

function rounded<T extends Record<string, number | undefined>>(values: T): Partial<T> {
  const known = Object.entries(values).filter(([, value]) => value !== undefined);
  return Object.fromEntries(known.map(([name, value]) => [name, micro(value!)])) as Partial<T>;
}

function micro(ms: number): number {
  return Math.round(ms * 1000) / 1000;
}

import { mkdirSync, readFileSync, renameSync, writeFileSync, existsSync } from 'node:fs';
import path from 'node:path';

import { cacheDirectory, combinationPerMajor, describeCombination } from '@loopwatch/test-support';

import { isPossible } from './loads.ts';
import type { Load } from './loads.ts';
import { recordingConsumer } from './recording-consumer.ts';
import { runSubject } from './run-subject.ts';
import type { RunPlan, RunRecord } from './run-subject.ts';
import { subjects } from './subjects.ts';

export interface RecordOptions {
  readonly majors: readonly number[];
  readonly loads: readonly Load[];
  /** Only subjects whose name contains it. */
  readonly match: string;
  /** Further runs of the same subject. */
  readonly passes: number;
  /** Records V8's profiles, too. */
  readonly withProfiles: boolean;
  /** Takes no run of the store that the machine's load disturbed. */
  readonly onlyCalm: boolean;
  /** Ends after so many runs; the next call goes on. */
  readonly limit: number;
  readonly concurrency: number;
}

interface Planned extends RunPlan {
  readonly file: string;
}

/** Runs are kept here until they are packed, so that a recording can be interrupted. */
export const storeDirectory = path.join(cacheDirectory, 'evidence');

/** Records what is missing in the store. Returns how many runs are still missing. */
export async function record(options: RecordOptions): Promise<number> {
  const missing = plan(options).filter(({ file }) => !isStored(file, options.onlyCalm));
  const todo = missing.slice(0, options.limit);
  const next = async (): Promise<void> => {
    for (let planned = todo.shift(); planned; planned = todo.shift()) await runAndStore(planned);
  };
  console.log(`${missing.length} runs to record, now ${todo.length}.`);
  // Another program on the same CPU would be one more load.
  const workers = options.loads.includes('shared') ? 1 : options.concurrency;
  const count = todo.length;
  await Promise.all(Array.from({ length: workers }, next));
  return missing.length - count;
}

function plan({ majors, loads, match, passes, withProfiles }: RecordOptions): Planned[] {
  const chosen = subjects().filter(({ name }) => name.includes(match));
  const combinations = combinationPerMajor.filter(({ nodeMajor }) => majors.includes(nodeMajor));
  const plans: Planned[] = [];
  for (let pass = 1; pass <= passes; pass++) {
    for (const subject of chosen) {
      for (const combination of combinations.filter(({ nodeMajor }) => nodeMajor >= subject.minimumNodeMajor)) {
        const base = `${subject.name.replaceAll('/', '~')}.node${combination.nodeMajor}`;
        const of = (load: Load, file: string): Planned => {
          return { subject, combination, load, file: path.join(storeDirectory, file) };
        };
        for (const load of loads.filter(isPossible)) plans.push(of(load, `${base}.${load}.${pass}.json`));
        if (!withProfiles || pass > 1) continue;
        plans.push({ ...of('alone', `${base}.functions.json`), profiled: 'functions' });
        // The ticks of several threads are in one log.
        if (subject.threadsPreload === undefined)
          plans.push({ ...of('alone', `${base}.ticks.json`), profiled: 'ticks' });
      }
    }
  }
  return plans;
}

function isStored(file: string, onlyCalm: boolean): boolean {
  if (!existsSync(file)) return false;
  if (!onlyCalm) return true;
  const { load, machine } = JSON.parse(readFileSync(file, 'utf8')) as RunRecord;
  return load !== 'alone' || machine.isCalm;
}

async function runAndStore({ file, ...planned }: Planned): Promise<void> {
  const { subject, combination, load, profiled = load } = planned;
  const label = `${describeCombination(combination)} ${subject.name} ${profiled}`;
  try {
    const result = await runSubject(planned, await recordingConsumer(combination.sdk));
    mkdirSync(storeDirectory, { recursive: true });
    writeFileSync(`${file}.tmp`, JSON.stringify(result));
    renameSync(`${file}.tmp`, file);
    const { periods, truths, profiles, ticks = [], machine, exitCode } = result;
    const noted = machine.isCalm ? '' : ', loaded';
    const failed = exitCode === 0 ? '' : `, exit ${String(exitCode)}`;
    console.log(
      `${label}: ${truths.length} blocks, ${periods.length} periods, ${profiles.length + ticks.length} profiles${noted}${failed}`,
    );
  } catch (error) {
    console.log(`${label}: failed: ${String(error).slice(0, 300)}`);
  }
}

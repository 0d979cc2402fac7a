import { once } from 'node:events';

import { median } from '@loopwatch/test-support';

import { BASELINE } from '../catalogue.ts';
import type { Peer } from '../catalogue.ts';
import type { Estimate } from '../statistics/estimate.ts';
import { shuffled } from '../statistics/random.ts';
import { estimateShift } from '../statistics/signed-rank.ts';
import { Subject } from '../subject/subject.ts';
import type { Platform } from '../subject/subject.ts';

export interface SaturatedSettings {
  /** In each pass, the process of each peer works for one window. */
  readonly passes: number;
  readonly windowMs: number;
  readonly warmUpMs: number;
  /** Wait before the idle processes are measured together. */
  readonly settleMs: number;
  readonly idleMs: number;
}

/** What a peer costs a process whose event loop is always busy; CPU in percent of a core, more than without a peer. */
export interface SaturatedSummary {
  readonly main: Estimate;
  readonly others: Estimate;
  readonly total: Estimate;
  /** Of the whole process, including its own share. */
  readonly idlePercent: number;
  readonly rssBytes: number;
}

export interface SaturatedResult {
  readonly peers: Readonly<Record<string, SaturatedSummary>>;
}

/** A line that `subjects/saturated.cjs` prints after a window of work. */
export interface WorkedWindow {
  readonly mainPercent: number;
  readonly othersPercent: number;
  readonly rssBytes: number;
}

export interface SaturatedProcess {
  readonly windows: readonly WorkedWindow[];
  readonly idlePercent: number;
}

/** Those that say what a busy loop does, and what they are compared with. */
const MEASURED = [BASELINE, 'none-again', 'sdk', 'loopwatch', 'loopwatch-no-busy-time', 'dd-trace', 'pyroscope'];

/** One process of each peer; they work one after the other, in shuffled order, again and again, and are then idle together. */
export async function measureSaturated(
  platform: Platform,
  peers: readonly Peer[],
  { passes, windowMs, warmUpMs, settleMs, idleMs }: SaturatedSettings,
  random: () => number,
  onProgress: (text: string) => void,
): Promise<SaturatedResult> {
  const names = peers.map(({ name }) => name).filter((name) => MEASURED.includes(name));
  const running = new Map<string, Subject>();
  const windows = new Map<string, WorkedWindow[]>(names.map((name) => [name, []]));
  const timeoutMs = 60_000 + names.length * (warmUpMs + passes * windowMs) * 2 + settleMs + idleMs;
  try {
    for (const name of shuffled(names, random)) {
      onProgress(`saturated processes: starting ${name}`);
      const subject = new Subject(platform, { program: 'saturated.cjs', args: [name], timeoutMs });
      running.set(name, subject);
      await answerTo<WorkedWindow>(subject, String(warmUpMs));
    }
    for (let pass = 1; pass <= passes; pass++) {
      onProgress(`saturated processes, pass ${pass} of ${passes}`);
      for (const name of shuffled(names, random))
        windows.get(name)!.push(await answerTo<WorkedWindow>(running.get(name)!, String(windowMs)));
    }
    onProgress(`saturated processes, idle, ${(settleMs + idleMs) / 1e3} s`);
    await Promise.all([...running.values()].map((subject) => answerTo(subject, `idle ${settleMs}`)));
    const idle = await Promise.all(
      names.map((name) => answerTo<{ processPercent: number }>(running.get(name)!, `idle ${idleMs}`)),
    );
    return summarizeSaturated(
      Object.fromEntries(
        names.map((name, i) => [name, { windows: windows.get(name)!, idlePercent: idle[i]!.processPercent }]),
      ),
    );
  } finally {
    for (const subject of running.values()) subject.kill();
    await Promise.all([...running.values()].map((subject) => subject.end()));
  }
}

async function answerTo<Message>(subject: Subject, line: string): Promise<Message> {
  if (!subject.process.stdin!.write(`${line}\n`)) await once(subject.process.stdin!, 'drain');
  return subject.nextMessage<Message>();
}

export function summarizeSaturated(processes: Readonly<Record<string, SaturatedProcess>>): SaturatedResult {
  const of = (name: string): SaturatedProcess => {
    const found = processes[name];
    if (!found) throw new Error(`Expected measurements of ${name}, got ${Object.keys(processes).join(', ')}.`);
    return found;
  };
  const added = (name: string, than: string, value: (window: WorkedWindow) => number): Estimate =>
    estimateShift(of(name).windows.map((window, pass) => value(window) - value(of(than).windows[pass]!)));
  const totalOf = ({ mainPercent, othersPercent }: WorkedWindow): number => mainPercent + othersPercent;
  const rssOf = (name: string): number => median(of(name).windows.map(({ rssBytes }) => rssBytes));
  const peers = Object.fromEntries(
    Object.keys(processes).map((name) => [
      name,
      {
        main: added(name, BASELINE, ({ mainPercent }) => mainPercent),
        others: added(name, BASELINE, ({ othersPercent }) => othersPercent),
        total: added(name, BASELINE, totalOf),
        idlePercent: of(name).idlePercent,
        rssBytes: rssOf(name),
      } satisfies SaturatedSummary,
    ]),
  );
  return { peers };
}

import { verdictKey } from '../accepted.ts';
import type { Grade, Outcome } from '../grade.ts';
import { judgeAll } from '../judge-all.ts';
import { evaluateJudgement, judgementSource } from '../load-judgement.ts';
import type { Judgement } from '../load-judgement.ts';
import type { Evidence, RecordedRun } from '../recording.ts';
import type { PlainVerdict, Recorded } from '../recorder/recorded.ts';
import { withSites } from './sites.ts';
import type { Site } from './sites.ts';
import { firstFailure, testModules } from './unit-tests.ts';
import type { UnitTest } from './unit-tests.ts';

/** What a change of one site does. */
export interface Effect {
  readonly site: Site;
  /** `left out`, `× ½`, `× 2`. */
  readonly change: string;
  /** Periods in which the site is reached, and could matter. */
  readonly reached: number;
  /** Verdicts that differ. */
  readonly changed: number;
  /** How many more of each outcome there are. */
  readonly more: Readonly<Record<Outcome, number>>;
  readonly failure?: string;
  /** Where no verdict differs: a unit test that fails. */
  readonly heldBy?: string | undefined;
}

interface Switched extends Judgement {
  readonly ablation: { active: number; factor: number; steps: number; readonly seen: Set<number> };
  readonly tests: readonly UnitTest[];
}

/**
 * Changes each number and each rule of the judgement in turn, and replays the recordings that reach it. Where none needs
 * it, the unit tests of blocks/ show whether they do.
 */
export async function ablate(evidence: Evidence, onEffect: (effect: Effect) => void): Promise<Effect[]> {
  const { code, sites } = withSites(await judgementSource('replay-with-tests', [testModules]));
  const without = `const __without = ${JSON.stringify(sites.map((site) => site.without ?? null))};\n`;
  const judgement = (await evaluateJudgement(without + code)) as Switched;
  const { ablation, tests } = judgement;
  const failing = (): Promise<string | undefined> =>
    firstFailure(tests, () => {
      ablation.steps = 0;
    });
  if (tests.length === 0) throw new Error('Expected unit tests of blocks/, got none.');
  const broken = await failing();
  if (broken !== undefined) throw new Error(`Expected all unit tests of blocks/ to pass, got a failure of: ${broken}`);
  const baseline = new Baseline(evidence, judgement, sites.length);
  const effects: Effect[] = [];
  for (const site of sites) {
    for (const [change, factor] of site.kind === 'rule'
      ? ([['left out', 1]] as const)
      : ([
          ['× ½', 0.5],
          ['× 2', 2],
        ] as const)) {
      const moved = baseline.effectOf(site, change, factor);
      ablation.active = moved.changed === 0 && moved.failure === undefined ? site.id : -1;
      ablation.factor = factor;
      const effect = ablation.active === -1 ? moved : { ...moved, heldBy: await failing() };
      ablation.active = -1;
      effects.push(effect);
      onEffect(effect);
    }
  }
  return effects;
}

class Baseline {
  readonly #evidence: Evidence;
  readonly #judgement: Switched;
  readonly #verdicts = new Map<Recorded, readonly PlainVerdict[]>();
  readonly #grades = new Map<RecordedRun, readonly Grade[]>();
  /** Of each site, the periods that reach it. */
  readonly #reached: Set<Recorded>[];

  constructor(evidence: Evidence, judgement: Switched, sites: number) {
    this.#evidence = evidence;
    this.#judgement = judgement;
    this.#reached = Array.from({ length: sites }, () => new Set<Recorded>());
    for (const grade of judgeAll(evidence, (recorded) => this.#observe(recorded))) {
      this.#grades.set(grade.run, [...(this.#grades.get(grade.run) ?? []), grade]);
    }
  }

  effectOf(site: Site, change: string, factor: number): Effect {
    const reached = this.#reached[site.id]!;
    const { ablation, replay } = this.#judgement;
    ablation.active = site.id;
    ablation.factor = factor;
    const moved = new Map<Recorded, readonly PlainVerdict[]>();
    let failure: string | undefined;
    try {
      for (const recorded of reached) {
        ablation.steps = 0;
        const verdicts = replay(recorded);
        if (keyOf(recorded, verdicts) !== keyOf(recorded, this.#verdicts.get(recorded)!)) moved.set(recorded, verdicts);
      }
    } catch (error) {
      failure = String(error);
    } finally {
      ablation.active = -1;
    }
    const more = { right: 0, marked: 0, absent: 0, wrong: 0, undecided: 0 };
    const runs = this.#evidence.runs.filter(({ periods }) => periods.some((period) => moved.has(period)));
    for (const run of runs) for (const { outcome } of this.#grades.get(run) ?? []) more[outcome] -= 1;
    const graded = judgeAll(
      { ...this.#evidence, runs },
      (recorded) => moved.get(recorded) ?? this.#verdicts.get(recorded)!,
    );
    for (const { outcome } of graded) more[outcome] += 1;
    return {
      site,
      change,
      reached: reached.size,
      changed: moved.size,
      more,
      ...(failure !== undefined && { failure }),
    };
  }

  #observe(recorded: Recorded): readonly PlainVerdict[] {
    const { ablation, replay } = this.#judgement;
    ablation.seen.clear();
    ablation.steps = 0;
    const verdicts = replay(recorded);
    for (const id of ablation.seen) this.#reached[id]!.add(recorded);
    this.#verdicts.set(recorded, verdicts);
    return verdicts;
  }
}

function keyOf(recorded: Recorded, verdicts: readonly PlainVerdict[]): string {
  return verdicts.map((verdict) => verdictKey(verdict, recorded)).join('; ');
}

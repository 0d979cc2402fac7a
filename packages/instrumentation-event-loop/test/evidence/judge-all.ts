import { gradeRun } from './grade.ts';
import type { Grade, Judged } from './grade.ts';
import type { Evidence, Profile, RecordedRun } from './recording.ts';
import type { PlainVerdict, Recorded } from './recorder/recorded.ts';
import { subjects } from './record/subjects.ts';
import type { Subject } from './record/subjects.ts';
import { grouped } from './grouped.ts';

/** Read once: the ablation grades hundreds of times. */
let bySubject: ReadonlyMap<string, Subject> | undefined;
const known = new WeakMap<readonly Profile[], ReadonlyMap<string, readonly Profile[]>>();

function profilesBySubject(profiles: readonly Profile[]): ReadonlyMap<string, readonly Profile[]> {
  let bySubjectAndMajor = known.get(profiles);
  if (bySubjectAndMajor === undefined) {
    bySubjectAndMajor = grouped(profiles, ({ subject, nodeMajor }) => `${subject} ${nodeMajor}`);
    known.set(profiles, bySubjectAndMajor);
  }
  return bySubjectAndMajor;
}

/** Replays all recordings by the given judgement, and grades what it says. */
export function judgeAll(
  { runs, profiles }: Evidence,
  replay: (recorded: Recorded) => readonly PlainVerdict[],
): Grade[] {
  bySubject ??= new Map(subjects().map((subject) => [subject.name, subject]));
  const profilesOf = profilesBySubject(profiles);
  return runs.flatMap((run) => {
    const subject = bySubject?.get(run.subject);
    // A subject that has gone says nothing any more.
    if (subject === undefined) return [];
    return gradeRun(run, judged(run, replay), {
      expectation: subject.expectation,
      isSilent: subject.isSilent,
      profiles: profilesOfRun(run, profilesOf),
    });
  });
}

/** Of the run's major; where there is none, of the nearest one that has one. */
function profilesOfRun(
  { subject, nodeMajor }: RecordedRun,
  profilesOf: ReadonlyMap<string, readonly Profile[]>,
): readonly Profile[] {
  const majors = [20, 22, 24, 26].sort((a, b) => Math.abs(a - nodeMajor) - Math.abs(b - nodeMajor));
  for (const major of majors) {
    const profiles = profilesOf.get(`${subject} ${major}`);
    if (profiles !== undefined) return profiles;
  }
  return [];
}

function judged({ periods }: RecordedRun, replay: (recorded: Recorded) => readonly PlainVerdict[]): Judged[] {
  return periods.map((period) => ({ period, verdicts: replay(period) }));
}

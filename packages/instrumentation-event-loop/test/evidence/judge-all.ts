import { gradeRun } from './grade.ts';
import type { Grade, Judged } from './grade.ts';
import type { Evidence, RecordedRun } from './recording.ts';
import type { PlainVerdict, Recorded } from './recorder/recorded.ts';
import { subjects } from './record/subjects.ts';

/** Replays all recordings by the given judgement, and grades what it says. */
export function judgeAll({ runs, profiles }: Evidence, replay: (recorded: Recorded) => readonly PlainVerdict[]): Grade[] {
  const bySubject = new Map(subjects().map((subject) => [subject.name, subject]));
  const profilesOf = new Map<string, Evidence['profiles'][number][]>();
  for (const profile of profiles) {
    const key = `${profile.subject} ${profile.nodeMajor}`;
    profilesOf.set(key, [...(profilesOf.get(key) ?? []), profile]);
  }
  return runs.flatMap((run) => {
    const subject = bySubject.get(run.subject);
    // A subject that has gone says nothing any more.
    if (subject === undefined) return [];
    return gradeRun(run, judged(run, replay), {
      expectation: subject.expectation,
      isSilent: subject.isSilent,
      profiles: profilesOf.get(`${run.subject} ${run.nodeMajor}`) ?? [],
    });
  });
}

function judged({ periods }: RecordedRun, replay: (recorded: Recorded) => readonly PlainVerdict[]): Judged[] {
  return periods.map((period) => ({ period, verdicts: replay(period) }));
}

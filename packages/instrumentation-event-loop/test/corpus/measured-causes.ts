import { readFileSync } from 'node:fs';
import path from 'node:path';

import type { TruthRecord } from '@loopwatch/test-support';

import { measuredCauses } from '../evidence/truth.ts';
import type { Profile } from '../evidence/recording.ts';
import type { Expectation } from './expectation.ts';

/** The causes that are accepted for a block of a program, and why they are more than one. */
export interface AcceptedCauses {
  readonly causes: readonly string[];
  /** `JavaScript 57–75 %, native 25–43 %, collections 38 %`; absent where one cause is accepted, or nothing was measured. */
  readonly because?: string;
}

/** The default of `blockedThresholdMs`. */
const THRESHOLD_MS = 100;

/** Another Node major may collect garbage for so many times as long as the one that was profiled. */
const OTHER_MAJOR_COLLECTS = 2;

/**
 * The causes that the header of the program states, without those that the measurements exclude: V8's ticks and its
 * profile of the program say what the code does, the kernel says what this run waited for, and Node's observer how long it
 * collected garbage. Without that, the profile's share counts, which may be of another major.
 */
export function acceptedCauses(
  { causes: stated }: Pick<Expectation, 'causes'>,
  truth: TruthRecord,
  profile: Profile | undefined,
  collectedMs?: number,
): AcceptedCauses {
  if (profile === undefined || stated.length === 0) return { causes: stated };
  const lengthMs = truth.endNowMs - truth.startNowMs;
  const profiledShare = profile.gcMs / Math.max(1, profile.gcMs + profile.otherMs);
  const shares =
    collectedMs === undefined
      ? [profiledShare, Math.min(1, profiledShare * OTHER_MAJOR_COLLECTS)]
      : [Math.min(1, collectedMs / lengthMs)];
  const gcShare = shares[0]!;
  const measured: readonly string[] = shares.flatMap((share) =>
    measuredCauses({ ...truth, span: '', gcMs: share * lengthMs }, profile, THRESHOLD_MS),
  );
  const left = stated.filter((cause) => measured.includes(cause));
  // The machine decides whether the block waited for a CPU; what its code does stays right.
  const causes = left.length > 0 ? left : stated;
  return causes.length === 1 ? { causes } : { causes, because: reasonOf(profile, gcShare) };
}

function reasonOf({ ticks = { javascript: 0, either: 0, native: 0, gc: 0 } }: Profile, gcShare: number): string {
  const { javascript, either, native } = ticks;
  const all = Math.max(1, javascript + either + native);
  const range = (least: number): string => `${percent(least / all)}–${percent((least + either) / all)} %`;
  return `JavaScript ${range(javascript)}, native ${range(native)}, collections ${percent(gcShare)} %`;
}

function percent(share: number): string {
  return (share * 100).toFixed(0);
}

const profilesFile = path.join(import.meta.dirname, '../evidence/recordings/profiles.json');
let profiles: readonly Profile[] | undefined;

/** V8's profile of a program's only block, with ticks; undefined without one. */
export function profileOfProgram(program: string): Profile | undefined {
  profiles ??= JSON.parse(readFileSync(profilesFile, 'utf8')) as readonly Profile[];
  return profiles.find(({ subject, id, ticks }) => subject === `corpus/${program}` && id === 'block' && ticks);
}

import { sentenceAbout } from '../blocks/sentence.js';
import { formatMs, plural } from '../text/format.js';
import { GUESS_MARK } from '../text/guess.js';
import { formatPlace } from '../text/place.js';
import { sourceUrl } from '../text/source-url.js';
import {
  type ComparedCulprit,
  comparedKey,
  type ComparedRecording,
  type Comparison,
  type Verdict,
  VERDICTS,
} from './comparison.js';
import { incompleteRuns } from './incomplete-runs.js';

/* The words of a comparison, which terminal, Markdown and report share. */

/** `3 runs of 1.2.0 (a1b2c3d) with 3 runs of 1.3.0 (d4e5f6a, modified)` */
export function comparedBuilds(base: readonly ComparedRecording[], head: readonly ComparedRecording[]): string {
  return `${side(base)} with ${side(head)}`;
}

function side(recordings: readonly ComparedRecording[]): string {
  const builds = [...new Set(recordings.map(buildOf))].filter((name) => name !== '');
  return `${plural(recordings.length, 'run')}${builds.length > 0 ? ` of ${builds.join(', ')}` : ''}`;
}

function buildOf({ programVersion, vcs }: ComparedRecording): string {
  const commit = [vcs?.revision?.slice(0, 7), vcs?.isModified ? 'modified' : undefined].filter(Boolean).join(', ');
  if (programVersion === undefined) return commit;
  return commit === '' ? programVersion : `${programVersion} (${commit})`;
}

/** Name of the culprit's function, marked if it is a guess. */
export function functionOfCompared({ location, guess, cause }: ComparedCulprit): string {
  if (!location) return `no stack (${cause})`;
  return guess ? `${GUESS_MARK} ${location.functionName}` : location.functionName;
}

/** Empty if no function is known. */
export function placeOfCompared({ location, directory }: ComparedCulprit): string {
  return location ? formatPlace(location, directory) : '';
}

/** Address of its line in the repository, at the commit of a run in which it blocked; undefined if that is not known. */
export function urlOfCompared(
  { location, directory, head: { runs } }: ComparedCulprit,
  base: readonly ComparedRecording[],
  head: readonly ComparedRecording[],
): string | undefined {
  const recording = (runs > 0 ? head : base).find((each) => each.directory === directory);
  return location && recording && sourceUrl(location, recording);
}

/** `0 ms → 812 ms`: blocked time of a run. */
export function changeText({ base, head }: ComparedCulprit): string {
  return `${formatMs(base.meanMs)} → ${formatMs(head.meanMs)}`;
}

/** Why the verdict is what it is: `in 3 of 3 runs, before in 0 of 3; p = 0.004`. */
export function evidenceText({ base, head, pValue }: ComparedCulprit, { baseRuns, headRuns }: Comparison): string {
  const runs = `in ${head.runs} of ${plural(headRuns, 'run')}, before in ${base.runs} of ${baseRuns}`;
  return pValue === undefined ? runs : `${runs}; p = ${pValue < 0.001 ? '<0.001' : pValue.toFixed(3)}`;
}

const COUNTED: Readonly<Record<Verdict, string>> = {
  new: 'new',
  worse: 'worse',
  gone: 'gone',
  better: 'better',
  unclear: 'within noise',
  same: 'the same',
};

/** `1 new culprit, 2 worse, 5 the same` */
export function headline({ culprits }: Comparison): string {
  const counts = VERDICTS.flatMap((verdict) => {
    const count = culprits.filter((culprit) => culprit.verdict === verdict).length;
    return count > 0 ? `${count} ${COUNTED[verdict]}` : [];
  });
  if (counts.length === 0) return 'No blocks in either build.';
  return `Culprits: ${counts.join(', ')}.`;
}

/**
 * The sentence about the culprit to look at first: a new one, else one that is worse. Its numbers are of all runs of the
 * new build. Undefined if there is no such culprit.
 */
export function comparisonSentence(comparison: Comparison, head: readonly ComparedRecording[]): string | undefined {
  const culprit = comparison.culprits.find(({ verdict }) => verdict === 'new' || verdict === 'worse');
  if (!culprit) return undefined;
  const runs = head.map((recording) => ({
    recording,
    blocks: recording.blocks.filter(({ durationMs }) => durationMs >= comparison.thresholdMs),
  }));
  const own = runs.flatMap(({ blocks, recording }) =>
    blocks.filter((block) => comparedKey(block, recording) === culprit.key),
  );
  const builds = new Set(head.map((recording) => recording.programVersion ?? recording.vcs?.revision?.slice(0, 7)));
  const [build] = builds;
  return sentenceAbout(
    own,
    runs.flatMap(({ blocks }) => blocks),
    { directory: culprit.directory, newIn: culprit.verdict === 'new' && builds.size === 1 ? build : undefined },
  );
}

/** What the reader has to know about the verdicts, as sentences. */
export function caveats(
  comparison: Comparison,
  base: readonly ComparedRecording[],
  head: readonly ComparedRecording[],
): string[] {
  const all = [...base, ...head];
  const dropped = all.reduce((total, recording) => total + recording.droppedBlocks, 0);
  const incomplete = incompleteRuns(all).length;
  return [
    ...(incomplete > 0
      ? [
          `In ${incomplete} of the ${plural(all.length, 'run')}, the program failed or nothing was watched: what it did not do blocks nothing there.`,
        ]
      : []),
    ...(comparison.isTested
      ? []
      : [
          'Too few runs to tell a change from noise: the verdicts show what these runs did. Give 3 runs of each build or more, better 5.',
        ]),
    ...(new Set(all.map((recording) => recording.thresholdMs)).size > 1
      ? [
          `The recordings have different thresholds: blocks below the highest, ${formatMs(comparison.thresholdMs)}, are left out.`,
        ]
      : []),
    ...(new Set(all.map((recording) => recording.command.join(' '))).size > 1
      ? ['The recordings are of different commands.']
      : []),
    ...(differInLength(base, head)
      ? ['The runs of the two builds last differently long: a longer run has more blocks.']
      : []),
    ...(dropped > 0
      ? [
          `${plural(dropped, 'block')} ${dropped === 1 ? 'was' : 'were'} evicted from the recordings and ${dropped === 1 ? 'is' : 'are'} missing here.`,
        ]
      : []),
  ];
}

const LENGTH_TOLERANCE = 1.25;

function differInLength(base: readonly ComparedRecording[], head: readonly ComparedRecording[]): boolean {
  const [a, b] = [meanDuration(base), meanDuration(head)];
  return Math.max(a, b) > LENGTH_TOLERANCE * Math.min(a, b);
}

function meanDuration(recordings: readonly ComparedRecording[]): number {
  return recordings.reduce((total, { durationMs }) => total + durationMs, 0) / recordings.length;
}

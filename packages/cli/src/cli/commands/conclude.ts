import { nothingWatchedSentence, remarksOn } from '../../model/report/remarks.js';
import type { OutputFiles } from '../files/prepare-files.js';
import { endAs, finalOutcome, type Outcome } from '../program/outcome.js';
import { say } from '../terminal/output.js';
import { failureOf } from './fail-on.js';
import { isGitHubJob } from './github-job.js';
import { Session } from './session.js';
import type { SessionOptions, Watched } from './watched.js';

/** Watches until the end, writes the files, and ends this process: as the program did, or by `--fail-on`. */
export async function watchAndConclude(watched: Watched, files: OutputFiles, options: SessionOptions): Promise<void> {
  let ended: Outcome | undefined;
  // Before the program, which may remove the package of Loopwatch, as `npm ci` does. Most runs need none of them.
  const writer = Object.keys(files).length > 0 ? await import('../files/write-files.js') : undefined;
  const ci = isGitHubJob() || (files.junit ?? files.gitlab) !== undefined ? await import('./ci.js') : undefined;
  try {
    const { recording, outcome } = await new Session(watched, options).record((end) => {
      ended = end;
    });
    const { failOn, threshold } = options;
    const { isAttached } = watched;
    const findings = ci?.findingsForCi(recording, failOn) ?? [];
    const writing = { print: say, openReport: options.open === true, findings };
    const allWritten = (await writer?.writeFiles(recording, files, writing)) ?? true;
    const failure = failOn === undefined ? undefined : failureOf(recording, failOn);
    if (failure) say(failure);
    await ci?.reportRunToGitHub(recording, findings, { failOn, threshold, isAttached, failure, say });
    if (options.quiet && failOn !== undefined) {
      [nothingWatchedSentence(recording, isAttached) ?? [], remarksOn(recording, failOn)].flat().forEach(say);
    }
    endAs(finalOutcome(outcome, { blockedTooLong: failure !== undefined, isIncomplete: !allWritten }));
  } catch (error) {
    // A failure of our own must not hide how the program ended.
    if (!ended) throw error;
    say(error instanceof Error ? error.message : String(error));
    endAs(finalOutcome(ended, { blockedTooLong: false, isIncomplete: true }));
  }
}

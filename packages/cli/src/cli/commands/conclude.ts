import { nothingWatchedSentence, remarksOn } from '../../model/report/remarks.js';
import { type OutputFiles, writeFiles } from '../files/write-files.js';
import { endAs, finalOutcome, type Outcome } from '../program/outcome.js';
import { say } from '../terminal/output.js';
import { findingsForCi, reportRunToGitHub } from './ci.js';
import { failureOf } from './fail-on.js';
import { Session } from './session.js';
import type { SessionOptions, Watched } from './watched.js';

/** Watches until the end, writes the files, and ends this process: as the program did, or by `--fail-on`. */
export async function watchAndConclude(watched: Watched, files: OutputFiles, options: SessionOptions): Promise<void> {
  let ended: Outcome | undefined;
  try {
    const { recording, outcome } = await new Session(watched, options).record((end) => {
      ended = end;
    });
    const { failOn, threshold } = options;
    const { isAttached } = watched;
    const findings = findingsForCi(recording, options);
    const allWritten = await writeFiles(recording, files, { print: say, openReport: options.open === true, findings });
    const failure = failOn === undefined ? undefined : failureOf(recording, failOn);
    if (failure) say(failure);
    await reportRunToGitHub(recording, findings, { failOn, threshold, isAttached, failure, say });
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

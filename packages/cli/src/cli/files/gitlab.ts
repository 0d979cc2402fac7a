import { createHash } from 'node:crypto';

import type { CiFinding } from '../../model/report/ci-findings.js';
import { oneLine } from './markdown.js';

const SEVERITIES = { error: 'major', warning: 'minor', note: 'info' } as const;

/**
 * The findings as a Code Quality report of GitLab, which shows them in the merge request and beside the line. It knows
 * places in the repository only: culprits in dependencies are left out.
 */
export function gitlabReport(findings: readonly CiFinding[]): string {
  const entries = findings.flatMap(({ key, level, message, place }) => {
    if (!place) return [];
    return [
      {
        description: oneLine(message),
        check_name: 'event-loop-blocked',
        // Without the line, and without a figure: the same culprit is the same entry in each pipeline.
        fingerprint: createHash('sha256').update(key).digest('hex'),
        severity: SEVERITIES[level],
        location: { path: place.path, lines: { begin: place.line } },
      },
    ];
  });
  return `${JSON.stringify(entries, undefined, 2)}\n`;
}

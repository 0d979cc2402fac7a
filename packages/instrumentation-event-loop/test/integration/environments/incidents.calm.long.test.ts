import path from 'node:path';

import { beforeAll, expect, test } from '@jest/globals';
import { describeCombination, oldestAndNewest, runProgram } from '@loopwatch/test-support';

import type { BusyMessage, BusyShare } from '../../../src/types.ts';
import { expectCleanExit } from '../support.ts';
import { incidents } from './extras.ts';
import { environmentTree, INSTALL_TIMEOUT_MS } from './support.ts';

/** What each incident is named by: request or job, function, and the package of its file, or `''` for the program. */
const named = {
  prisma: ['POST /incident', 'findUsers', ''],
  bcryptjs: ['POST /incident', /./, 'node_modules/bcryptjs/'],
  dayjs: ['POST /incident', 'renderRows', ''],
  timers: [/^timer /, /./, ''],
} as const;

beforeAll(async () => {
  for (const { sdk } of oldestAndNewest) await environmentTree(sdk, incidents);
}, INSTALL_TIMEOUT_MS);

test.each(
  oldestAndNewest.flatMap((on) =>
    Object.entries(named).map(([incident, names]) => [describeCombination(on), incident, on, names] as const),
  ),
)('%s: what takes most of the loop is named: %s', async (_label, incident, combination, [request, culprit, file]) => {
  const tree = await environmentTree(combination.sdk, incidents);
  const result = await runProgram({
    combination,
    tree,
    program: path.join('incidents', 'incident.mjs'),
    args: [incident],
    timeoutMs: 60_000,
    env: { LOOPWATCH_BUSY_SAMPLES_PER_SECOND: '30' },
  });
  expectCleanExit(result);
  const shares = (result.notes.get('busy') as readonly BusyMessage[]).flatMap((message) => message.shares);
  const sumOf = (some: readonly BusyShare[]): number => some.reduce((sum, { weightMs }) => sum + weightMs, 0);
  const right = shares.filter(
    (share) =>
      matches(share.request, request) &&
      matches(share.culprit?.functionName, culprit) &&
      (share.culprit?.filePath ?? '').includes(file),
  );
  const rightShare = sumOf(right) / sumOf(shares);
  // All of them are shown where they are wrong.
  expect(rightShare > 0.5 ? [] : [`right: ${rightShare}`, ...summaryOf(shares)]).toEqual([]);
});

function matches(text: string | undefined, expected: string | RegExp): boolean {
  return typeof expected === 'string' ? text === expected : expected.test(text ?? '');
}

function summaryOf(shares: readonly BusyShare[]): string[] {
  return shares.map(({ request, culprit, answers }) => {
    const place = culprit && `${culprit.functionName} (${culprit.filePath}:${culprit.lineNumber})`;
    return `${answers} ${request ?? '–'} ${place ?? '–'}`;
  });
}

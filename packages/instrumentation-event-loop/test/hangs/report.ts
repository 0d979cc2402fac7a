// pnpm --filter @loopwatch/instrumentation-event-loop hangs [--node 20,24] [--hangs 30] [--write]
import { parseArgs } from 'node:util';

import { combinationPerMajor, describeCombination } from '@loopwatch/test-support';

import { writeAccuracyDocument } from '../corpus/accuracy-document.ts';
import { readCorpus } from '../corpus/expectation.ts';
import { isRight, writeHangs } from './results.ts';
import { runHangs } from './run-hangs.ts';
import type { JudgedHang } from './run-hangs.ts';

const { values } = parseArgs({
  options: {
    node: { type: 'string', short: 'n' },
    hangs: { type: 'string', default: '30' },
    write: { type: 'boolean', default: false },
    help: { type: 'boolean', short: 'h', default: false },
  },
});

if (values.help) {
  console.log(`Lets a program hang in one way after the other, and judges the last report of each hang.

  -n, --node 20,24   only these Node.js majors (default: all)
      --hangs N      hangs on each of them (default: 30, each way twice)
      --write        keep the counts, and write docs/evidence/accuracy.md`);
  process.exit();
}

const majors = values.node?.split(',').map(Number);
for (const combination of combinationPerMajor.filter(({ nodeMajor }) => !majors || majors.includes(nodeMajor))) {
  const label = describeCombination(combination);
  const judged = await runHangs(combination, Number(values.hangs), (hang: JudgedHang) => {
    if (!isRight(hang)) console.log(`${label}, ${hang.way}: ${[...hang.wrong, ...hang.absent].join(', ')}`);
  });
  const right = judged.filter(isRight).length;
  console.log(`${label}: the last report of ${right} of ${judged.length} hangs is right`);
  if (values.write) writeHangs(combination, judged);
}
if (values.write) console.log(`Written: ${writeAccuracyDocument(readCorpus())}`);

// pnpm --filter @loopwatch/instrumentation-event-loop corpus [--node 20,24] [--program text] [--write]
import { parseArgs } from 'node:util';

import { combinationPerMajor, describeCombination } from '@loopwatch/test-support';

import { writeAccuracyDocument } from './accuracy-document.ts';
import { readCorpus } from './expectation.ts';
import { measureTimes } from './measure-times.ts';
import { writeResult } from './results.ts';
import { isHit, runCorpus } from './run-corpus.ts';
import type { Judgement } from './run-programs.ts';

const { values } = parseArgs({
  options: {
    node: { type: 'string', short: 'n' },
    program: { type: 'string', short: 'p' },
    write: { type: 'boolean', default: false },
    help: { type: 'boolean', short: 'h', default: false },
  },
});

if (values.help) {
  console.log(`Runs the corpus of blocking programs and prints the misses.

  -n, --node 20,24     only these Node.js majors (default: all)
  -p, --program TEXT   only programs whose name contains TEXT
      --write          keep the results, and write docs/evidence/accuracy.md from all that are kept`);
  process.exit();
}

const majors = values.node?.split(',').map(Number);
const corpus = readCorpus();
const chosen = corpus.filter(({ program }) => program.includes(values.program ?? ''));

for (const combination of combinationPerMajor.filter(({ nodeMajor }) => !majors || majors.includes(nodeMajor))) {
  const judgements = await runCorpus(combination, chosen, printMisses);
  console.log(`${describeCombination(combination)}: ${judgements.filter(isHit).length} of ${judgements.length} right`);
  if (!values.write) continue;
  writeResult(combination, judgements);
  writeResult(combination, [], await measureTimes(combination));
}
if (values.write) console.log(`Written: ${writeAccuracyDocument(corpus)}`);

function printMisses({ combination, expectation, misses }: Judgement): void {
  for (const { aspect, expected, got } of misses) {
    console.log(
      `${describeCombination(combination)}  ${expectation.program}  ${aspect}: expected ${expected}, got ${got}`,
    );
  }
}

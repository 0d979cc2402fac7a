// pnpm --filter @loopwatch/instrumentation-event-loop corpus [--node 20,24] [--program regex] [--write]
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';

import { combinationPerMajor, combinations, describeCombination } from '@loopwatch/test-support';

import { accuracyDocument } from './accuracy-document.ts';
import { readCorpus } from './expectation.ts';
import { measureTimes } from './measure-times.ts';
import { isHit, runCorpus } from './run-corpus.ts';
import type { Judgement } from './run-programs.ts';

const { values } = parseArgs({
  options: {
    node: { type: 'string', short: 'n' },
    program: { type: 'string', short: 'p' },
    all: { type: 'boolean', default: false },
    write: { type: 'boolean', default: false },
    help: { type: 'boolean', short: 'h', default: false },
  },
});

if (values.help) {
  console.log(`Runs the corpus of blocking programs and prints the misses.

  -n, --node 20,24     only these Node.js majors (default: all)
  -p, --program TEXT   only programs whose name contains TEXT
      --all            every combination of Node.js and SDK (default: one for each Node.js major)
      --write          write docs/evidence/accuracy.md; needs a run of all programs on all Node.js majors`);
  process.exit();
}
if (values.write && (values.node !== undefined || values.program !== undefined)) {
  throw new Error('Expected --write without --node and --program: the document describes the whole corpus.');
}

const majors = values.node?.split(',').map(Number);
const chosen = (values.all ? combinations : combinationPerMajor).filter(
  ({ nodeMajor }) => !majors || majors.includes(nodeMajor),
);
const corpus = readCorpus().filter(({ program }) => program.includes(values.program ?? ''));

const judgements: Judgement[] = [];
for (const combination of chosen) {
  const some = await runCorpus(combination, corpus, printMisses);
  judgements.push(...some);
  console.log(`${describeCombination(combination)}: ${some.filter(isHit).length} of ${some.length} right`);
}

if (values.write) {
  const times = [];
  for (const combination of chosen) times.push(await measureTimes(combination));
  const file = path.resolve(import.meta.dirname, '../../../../docs/evidence/accuracy.md');
  writeFileSync(file, accuracyDocument(judgements, times));
  console.log(`Written: ${path.relative(process.cwd(), file)}`);
}

function printMisses({ combination, expectation, misses }: Judgement): void {
  for (const { aspect, expected, got } of misses) {
    console.log(
      `${describeCombination(combination)}  ${expectation.program}  ${aspect}: expected ${expected}, got ${got}`,
    );
  }
}

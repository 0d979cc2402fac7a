// pnpm --filter @loopwatch/instrumentation-event-loop corpus:attach [--node 20,24] [--program regex] [--write]
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';

import { combinationPerMajor, describeCombination } from '@loopwatch/test-support';

import { readCorpus } from '../expectation.ts';
import type { Judgement } from '../run-programs.ts';
import { accuracyOfAttach } from './accuracy-of-attach.ts';
import { readResults, writeResults } from './results.ts';
import { runAttached } from './run-attached.ts';

const { values } = parseArgs({
  options: {
    node: { type: 'string', short: 'n' },
    program: { type: 'string', short: 'p' },
    shard: { type: 'string', default: '1/1' },
    write: { type: 'boolean', default: false },
    help: { type: 'boolean', short: 'h', default: false },
  },
});

if (values.help) {
  console.log(`Attaches to the programs of the corpus while they run, and prints the misses.

  -n, --node 20,24     only these Node.js majors (default: all)
  -p, --program TEXT   only programs whose name contains TEXT
      --shard 1/3      only the first third of the programs
      --write          keep the results; write docs/evidence/attach-accuracy.md when there is one of each program on each major`);
  process.exit();
}
const majors = values.node?.split(',').map(Number);
const [shard = 1, shards = 1] = values.shard.split('/').map(Number);
const corpus = readCorpus()
  .filter(({ program }) => program.includes(values.program ?? ''))
  .filter((_expectation, index, all) => Math.floor((index * shards) / all.length) === shard - 1);

for (const combination of combinationPerMajor.filter(({ nodeMajor }) => !majors || majors.includes(nodeMajor))) {
  const judgements = await runAttached(combination, corpus, printMisses);
  const right = judgements.filter(({ misses }) => misses.length === 0).length;
  console.log(`${describeCombination(combination)}: ${right} of ${judgements.length} right`);
  if (values.write) writeResults(combination, judgements);
}
if (values.write) {
  const results = readResults(readCorpus());
  if (results === undefined) {
    console.log('Kept. The document needs a result of each program on each Node.js major.');
  } else {
    const file = path.resolve(import.meta.dirname, '../../../../../docs/evidence/attach-accuracy.md');
    writeFileSync(file, accuracyOfAttach(results));
    console.log(`Written: ${path.relative(process.cwd(), file)}`);
  }
}

function printMisses({ combination, expectation, misses }: Judgement): void {
  for (const { aspect, expected, got } of misses) {
    console.log(
      `${describeCombination(combination)}  ${expectation.program}  ${aspect}: expected ${expected}, got ${got}`,
    );
  }
}

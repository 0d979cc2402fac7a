// pnpm --filter @loopwatch/instrumentation-event-loop victims [--node 20,24] [--runs 1000] [--seed 1] [--write]
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';

import { combinationPerMajor, describeCombination } from '@loopwatch/test-support';
import type { Telemetry } from '@loopwatch/test-support';

import { writeAccuracyDocument } from '../corpus/accuracy-document.ts';
import { readCorpus } from '../corpus/expectation.ts';
import { runMixedServers } from './mixed-servers.ts';
import type { MixedRun } from './mixed-servers.ts';
import { describeTotals, totalsOf, writeVictims } from './results.ts';

const { values } = parseArgs({
  options: {
    node: { type: 'string', short: 'n' },
    runs: { type: 'string', default: '250' },
    seed: { type: 'string', default: '1' },
    write: { type: 'boolean', default: false },
    keep: { type: 'string' },
    help: { type: 'boolean', short: 'h', default: false },
  },
});

if (values.help) {
  console.log(`Runs two servers and a consumer in one process, with requests of many kinds that block each other, and
compares each reported wait with what the program measured.

  -n, --node 20,24   only these Node.js majors (default: all)
      --runs N       runs on each of them (default: 250, so 1,000 on all four)
      --seed N       seed of the first run; the next ones follow (default: 1)
      --keep DIR     write the spans and the measurements of each run with a false wait or another parent to a
                     file in DIR
      --write        keep the counts, and write docs/evidence/accuracy.md`);
  process.exit();
}

const majors = values.node?.split(',').map(Number);
for (const combination of combinationPerMajor.filter(({ nodeMajor }) => !majors || majors.includes(nodeMajor))) {
  const label = describeCombination(combination);
  const print = (run: MixedRun, telemetry: Telemetry): void => {
    for (const wait of run.falseVictims) console.log(`${label}, seed ${run.seed}: false ${JSON.stringify(wait)}`);
    if (run.wrongParents > 0) console.log(`${label}, seed ${run.seed}: ${run.wrongParents} blocks with another parent`);
    if (run.falseVictims.length + run.wrongParents > 0 && values.keep !== undefined) {
      mkdirSync(values.keep, { recursive: true });
      const file = path.join(values.keep, `node-${combination.nodeMajor}-seed-${run.seed}.json`);
      writeFileSync(file, JSON.stringify(telemetry, null, 2));
    }
    for (const wait of run.missedVictims) console.log(`${label}, seed ${run.seed}: missed ${JSON.stringify(wait)}`);
  };
  const runs = await runMixedServers(combination, { firstSeed: Number(values.seed), runs: Number(values.runs) }, print);
  console.log(`${label}: ${describeTotals(totalsOf(runs))}`);
  if (values.write) writeVictims(combination, runs);
}
if (values.write) console.log(`Written: ${writeAccuracyDocument(readCorpus())}`);

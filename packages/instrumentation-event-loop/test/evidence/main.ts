// npm run evidence -- <record|pack|replay|accept|ablation> [options]
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';

import { ablate } from './ablation/ablate.ts';
import { ablationDocuments } from './ablation/document.ts';
import { acceptedFile, acceptedText, summary } from './accepted.ts';
import type { Grade } from './grade.ts';
import { judgeAll } from './judge-all.ts';
import { evaluateJudgement, judgementSource } from './load-judgement.ts';
import { packProfiles, packStore } from './pack.ts';
import { loads } from './record/loads.ts';
import { record } from './record/record.ts';
import { readEvidence } from './recordings.ts';

const ablationFile = path.resolve(import.meta.dirname, '../../../../docs/evidence/ablation.md');
const ablationList = path.join(import.meta.dirname, 'ablation.txt');

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    node: { type: 'string', default: '20,22,24,26' },
    load: { type: 'string', default: 'alone' },
    match: { type: 'string', default: '' },
    passes: { type: 'string', default: '1' },
    profiles: { type: 'boolean', default: false },
    calm: { type: 'boolean', default: false },
    limit: { type: 'string', default: 'Infinity' },
    concurrency: { type: 'string', default: '2' },
    every: { type: 'string', default: '1' },
  },
});

const [command = 'nothing'] = positionals;
const commands: Readonly<Record<string, () => Promise<void>>> = {
  record: recordMissing,
  pack: () => {
    if (values.profiles) packProfiles();
    else packStore();
    return Promise.resolve();
  },
  replay: async () => {
    console.log(summary(await gradesNow()));
  },
  accept: async () => {
    writeFileSync(acceptedFile, acceptedText(await gradesNow()));
  },
  ablation: writeAblation,
};
const run = Object.hasOwn(commands, command) ? commands[command] : undefined;
if (run === undefined) throw new Error(`Expected one of ${Object.keys(commands).join(', ')}, got ${command}.`);
await run();

async function recordMissing(): Promise<void> {
  const left = await record({
    majors: values.node.split(',').map(Number),
    loads: loads.filter((load) => values.load.split(',').includes(load)),
    match: values.match,
    passes: Number(values.passes),
    withProfiles: values.profiles,
    onlyCalm: values.calm,
    limit: Number(values.limit),
    concurrency: Number(values.concurrency),
  });
  console.log(`${left} runs are missing.`);
}

async function gradesNow(): Promise<Grade[]> {
  const { replay } = await evaluateJudgement(await judgementSource());
  return judgeAll(readEvidence(), replay);
}

async function writeAblation(): Promise<void> {
  const { runs, profiles } = readEvidence();
  const evidence = { runs: runs.filter((_, i) => i % Number(values.every) === 0), profiles };
  const effects = await ablate(evidence, ({ site, change, changed }) => {
    if (changed > 0) console.log(`${site.file} ${site.functionName} ${site.text} ${change}: ${changed} verdicts`);
  });
  const { page, list } = ablationDocuments(effects, evidence, runs);
  writeFileSync(ablationFile, page);
  writeFileSync(ablationList, list);
}

// npm run evidence -- <record|pack|replay|accept|ablation> [options]
import { parseArgs } from 'node:util';

import { loads } from './record/loads.ts';
import { record } from './record/record.ts';

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
  },
});

const [command] = positionals;
if (command === 'record') {
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

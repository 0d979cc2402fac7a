import { readFileSync, writeFileSync } from 'node:fs';

import { expect, test } from '@jest/globals';

import { falseAlarmRate, powerToSeeNew, powerToSeeSlower, type SimulatedProject } from '../support/simulated-builds.js';

const PAGE = new URL('../../../../docs/compare.md', import.meta.url);
const TABLE = /(<!-- simulated -->\n)[^]*?(\n<!-- \/simulated -->)/;

function row(project: SimulatedProject): string {
  const { runs, culprits, noise } = project;
  const figures = [
    falseAlarmRate(project),
    powerToSeeNew(project),
    powerToSeeSlower(project, 1.2),
    powerToSeeSlower(project, 1.5),
    powerToSeeSlower(project, 2),
  ];
  return `| ${[runs, culprits, percent(noise), ...figures.map(percent)].join(' | ')} |`;
}

function percent(share: number): string {
  return `${Math.round(share * 1000) / 10} %`;
}

// UPDATE_DOCS=1 writes the table.
test('docs/compare.md states the false alarms and the power of the simulated builds', () => {
  const settings = [3, 5].flatMap((runs) =>
    [1, 10].flatMap((culprits) => [0.05, 0.2, 0.5].map((noise) => ({ runs, culprits, noise }))),
  );
  const table = [
    '| runs a build | culprits | noise | false alarms | new | 1.2× | 1.5× | 2× |',
    '| ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |',
    ...settings.map(row),
  ].join('\n');
  const page = readFileSync(PAGE, 'utf8');
  if (process.env.UPDATE_DOCS)
    writeFileSync(
      PAGE,
      page.replace(TABLE, (_, start, end) => `${start}\n${table}\n${end}`),
    );
  // Prettier aligns the columns.
  const unaligned = (text: string): string => text.replace(/ +/g, ' ').replace(/-+/g, '-');
  expect(unaligned(readFileSync(PAGE, 'utf8'))).toContain(unaligned(table));
});

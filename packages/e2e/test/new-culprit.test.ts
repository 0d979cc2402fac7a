import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { newCulpritRuleFile } from '@loopwatch/dashboards';

import { ensureBuilt } from '../../../scripts/stack/build.mjs';
import { parts } from '../../../scripts/stack/parts.mjs';
import { runCommand } from '../src/commands.ts';
import { failures, ruleTests, simulateDeployment } from '../src/simulated-deployments.ts';
import type { SimulatedDeployment } from '../src/simulated-deployments.ts';

const DEPLOYMENTS = 20;
const UNCHANGED_DEPLOYMENTS = 5;
const DEPLOYMENTS_OF_A_RUN = 10;

let directory: string;
beforeAll(() => {
  directory = mkdtempSync(path.join(tmpdir(), 'loopwatch-deployments-'));
});
afterAll(() => {
  rmSync(directory, { recursive: true, force: true });
});

test('of 20 deployments at most one raises EventLoopNewCulprit for a function that is not new, 19 of 20 new culprits are named within two minutes, and deployments without a change raise none', async () => {
  const binaries = await ensureBuilt(parts, (line) => void process.stderr.write(`${line}\n`));
  const seeds = Array.from({ length: DEPLOYMENTS }, (_, i) => i + 1);
  const seeded = seeds.map((seed) => simulateDeployment(seed, true));
  // The functions that are not new are those of the seeded deployments: few are enough.
  const unchanged = seeds.slice(0, UNCHANGED_DEPLOYMENTS).map((seed) => simulateDeployment(seed, false));
  expect(seeded.filter(({ seededAt }) => seededAt === undefined)).toEqual([]);
  const rules = path.join(directory, 'rules.yml');
  writeFileSync(rules, newCulpritRuleFile());

  const { falseAlarms, missed } = failures(outputOf(binaries['promtool']!, rules, [...unchanged, ...seeded]));
  expect(falseAlarms.filter((service) => service.startsWith('unchanged'))).toEqual([]);
  expect(falseAlarms.filter((service) => service.startsWith('seeded')).length).toBeLessThanOrEqual(1);
  expect(missed.length).toBeLessThanOrEqual(1);
});

/** What promtool says of the deployments. Each is a service of its own, and few at a time take less time in all. */
function outputOf(promtool: string, rules: string, deployments: readonly SimulatedDeployment[]): string {
  let output = '';
  for (let first = 0; first < deployments.length; first += DEPLOYMENTS_OF_A_RUN) {
    const tests = path.join(directory, `tests-${first}.yml`);
    writeFileSync(tests, ruleTests(deployments.slice(first, first + DEPLOYMENTS_OF_A_RUN), rules));
    output += runCommand(promtool, ['test', 'rules', tests]).output;
  }
  return output;
}

import { readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';

import { describe, expect, test } from '@jest/globals';

import { outputs } from '../src/outputs.ts';

const root = path.resolve(import.meta.dirname, '../..');

describe('generated files', () => {
  test.each([...outputs()])('%s is up to date (if not: npm run generate)', (file, text) => {
    expect(readFileSync(path.join(root, file), 'utf8')).toBe(text);
  });

  test('the folders contain no dashboard and no rule file that is not generated', () => {
    const found = ['dashboards', 'deploy/prometheus/rules', 'deploy/grafana/provisioning/alerting'].flatMap((folder) =>
      readdirSync(path.join(root, folder))
        .filter(
          (name) => folder !== 'dashboards' || (name.endsWith('.json') && !/^(package|tsconfig)\.json$/.test(name)),
        )
        .map((name) => `${folder}/${name}`),
    );
    const ofAlertmanager = [...outputs().keys()].filter((file) => file.startsWith('deploy/alertmanager/'));
    expect([...found, ...ofAlertmanager].sort()).toEqual([...outputs().keys()].sort());
  });
});

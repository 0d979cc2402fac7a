import { spawnSync } from 'node:child_process';
import path from 'node:path';

import { describe, expect, test } from '@jest/globals';

const root = path.resolve(import.meta.dirname, '../..');
const badWorkspace = path.join(import.meta.dirname, 'fixtures/import-rules/bad');

interface Violation {
  readonly rule: { readonly name: string };
  readonly from: string;
  readonly to: string;
}

/** Checks a small workspace that breaks every rule once, with the rules of the real workspace. */
function violationsIn(directory: string): string[] {
  const cruiser = path.join(root, 'node_modules/.bin/depcruise');
  const config = path.join(root, '.dependency-cruiser.mjs');
  const { stdout, stderr } = spawnSync(
    process.execPath,
    [cruiser, '--config', config, '--output-type', 'json', 'packages'],
    { cwd: directory, encoding: 'utf8', timeout: 60_000 },
  );
  if (stdout === '') throw new Error(`dependency-cruiser printed nothing:\n${stderr}`);
  const { summary } = JSON.parse(stdout) as { summary: { violations: Violation[] } };
  return summary.violations.map(({ rule, from, to }) => `${rule.name}: ${inSource(from)} → ${inSource(to)}`);
}

function inSource(file: string): string {
  return file.replace('packages/instrumentation-event-loop/src/', '');
}

describe('the import rules', () => {
  const violations = violationsIn(badWorkspace);

  test.each([
    ['detection may not import OpenTelemetry', 'detection-room: detection/meter.ts → @opentelemetry/api'],
    [
      'detection may not see another room, not even its types',
      'detection-room: detection/sees-attribution.ts → attribution/culprit.ts',
    ],
    ['attribution knows the model only', 'attribution-room: attribution/culprit.ts → semconv.ts'],
    ['reporting may not see another room', 'reporting-room: reporting/spans.ts → detection/meter.ts'],
    ['registration may not detect', 'registration-reports-only: registration/find-sdk.ts → detection/meter.ts'],
    ['only the composition root sees reporting', 'one-composition-root: config.ts → reporting/spans.ts'],
    [
      'the watchdog may not reach OpenTelemetry by a detour',
      'watchdog-without-opentelemetry: detection/watchdog/main.ts → @opentelemetry/api',
    ],
    [
      'a package may not import the source of another',
      'no-source-of-another-package: packages/demo/src/main.ts → config.ts',
    ],
    ['two files may not need each other', 'no-circular: index.ts → instrumentation.ts'],
    ['an import must lead somewhere', 'no-unresolvable: packages/demo/src/main.ts → ./missing.js'],
  ])('%s', (_rule, violation) => {
    expect(violations).toContain(violation);
  });

  test('the composition root may see every room', () => {
    expect(violations.filter((violation) => violation.includes(': instrumentation.ts → reporting/'))).toEqual([]);
  });
});

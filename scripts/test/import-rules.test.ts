import { spawnSync } from 'node:child_process';
import path from 'node:path';

import { describe, expect, test } from '@jest/globals';
import { Linter } from 'eslint';

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
    ['the contract may not see a room', 'contract-room: contract/model.ts → detection/meter.ts'],
    ['detection may not import OpenTelemetry', 'detection-room: detection/meter.ts → @opentelemetry/api'],
    [
      'detection may not see another room, not even its types',
      'detection-room: detection/sees-blocks.ts → blocks/culprit.ts',
    ],
    ['the probe may not see another room', 'probe-room: probe/probe.ts → blocks/culprit.ts'],
    ['blocks may see the contract only', 'blocks-room: blocks/culprit.ts → semconv.ts'],
    ['blocks may not import a module of Node', 'blocks-are-pure: blocks/reads-a-file.ts → fs'],
    ['blocks may not reach a module of Node by a detour', 'blocks-are-pure: blocks/reads-a-clock.ts → perf_hooks'],
    ['export may not see another room', 'export-room: export/spans.ts → detection/meter.ts'],
    ['the monitor may not export', 'monitor-exports-nothing: monitor/monitor.ts → export/spans.ts'],
    ['options may not see a room', 'config-room: config/sees-blocks.ts → blocks/culprit.ts'],
    ['the watchdog may not see a room of the other thread', 'watchdog-room: watchdog/sees-probe.ts → probe/probe.ts'],
    [
      'the liveness thread may not see a room of another thread',
      'liveness-room: liveness/sees-watchdog.ts → watchdog/entry.ts',
    ],
    [
      'the watchdog may not reach OpenTelemetry by a detour',
      'watchdog-without-opentelemetry: watchdog/entry.ts → @opentelemetry/api',
    ],
    ['registration may not detect', 'registration-finds-an-sdk: registration/find-sdk.ts → detection/meter.ts'],
    ['a file at the root may not see a room', 'few-composition-roots: config.ts → export/spans.ts'],
    ["the CLI's model may not import a module of Node", 'cli-model-room: packages/cli/src/model/model.ts → fs'],
    [
      "the CLI's model may not import what another package has built for Node",
      'cli-model-room: packages/cli/src/model/needs-node.ts → ../../../instrumentation-event-loop/dist/internal-node.mjs',
    ],
    [
      'the CLI may not load its preload',
      'cli-cli-room: packages/cli/src/cli/main.ts → packages/cli/src/preload/main.ts',
    ],
    [
      'the inspection of processes may not see another room of the CLI',
      'cli-cli-inspect-room: packages/cli/src/cli/inspect/dump.ts → packages/cli/src/cli/main.ts',
    ],
    [
      'the platform may not see a room of the CLI',
      'cli-cli-platform-room: packages/cli/src/cli/platform/linux.ts → packages/cli/src/cli/main.ts',
    ],
    [
      'the doctor may not see another room of the CLI but that of inspection',
      'cli-cli-doctor-room: packages/cli/src/cli/doctor/diagnose.ts → packages/cli/src/cli/main.ts',
    ],
    ['the page may not load the CLI', 'cli-page-room: packages/cli/src/page/page.ts → packages/cli/src/cli/main.ts'],
    [
      'a package may not import the source of another',
      'no-source-of-another-package: packages/demo/src/main.ts → config.ts',
    ],
    ['two files may not need each other', 'no-circular: index.ts → instrumentation.ts'],
    ['an import must lead somewhere', 'no-unresolvable: packages/demo/src/main.ts → ./missing.js'],
  ])('%s', (_rule, violation) => {
    expect(violations).toContain(violation);
  });

  test.each([
    ['the composition root may see every room', ': instrumentation.ts → export/'],
    ['the monitor may see types of export', ': monitor/types.ts → '],
  ])('%s', (_permission, part) => {
    expect(violations.filter((violation) => violation.includes(part))).toEqual([]);
  });
});

describe('ESLint', () => {
  test.each([
    ['forbids a clock in blocks/', 'blocks/cause.ts', ['no-restricted-globals']],
    ['allows it elsewhere', 'probe/gc-meter.ts', []],
  ])('%s', (_rule, file, expected) => {
    expect(lintedAs(`packages/instrumentation-event-loop/src/${file}`, 'export const at = Date.now();\n')).toEqual(
      expected,
    );
  });
});

/**
 * The rules that the text breaks when it stands in that file: those of ESLint itself, without those that need the types of
 * the whole package.
 */
function lintedAs(file: string, text: string): string[] {
  const eslint = path.join(root, 'node_modules/.bin/eslint');
  const { stdout } = spawnSync(process.execPath, [eslint, '--print-config', file], {
    cwd: root,
    encoding: 'utf8',
    timeout: 60_000,
  });
  const { rules } = JSON.parse(stdout) as { rules: Linter.RulesRecord };
  const ofEslint = Object.fromEntries(Object.entries(rules).filter(([name]) => !name.includes('/')));
  return new Linter().verify(text, { rules: ofEslint }).map(({ ruleId }) => String(ruleId));
}

import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

import { describe, expect, test } from '@jest/globals';

import { conventions, prometheusMetric } from '../src/index.ts';
import { outputs, withTables } from '../src/outputs.ts';

const root = path.resolve(import.meta.dirname, '../..');
const generated = await outputs();

function readText(file: string): string {
  return readFileSync(path.join(root, file), 'utf8');
}

describe('generated files', () => {
  test.each([...generated])('%s is up to date (if not: npm run generate)', (file, text) => {
    expect(readText(file)).toBe(text);
  });

  test('a marker for a table that does not exist is an error', () => {
    const page = '<!-- generated: colours -->\n\n<!-- end of generated -->\n';
    expect(() => withTables(page, new Map([['spans', '']]))).toThrow('Expected one of spans, got colours.');
  });
});

/** Files that name telemetry and are written by hand. */
const handWritten = [
  'README.md',
  'packages/instrumentation-event-loop/README.md',
  'otel-collector-config.yaml',
  'deploy/jaeger/ui.js',
  ...['docs', 'docs/evidence', 'docs/runbooks'].flatMap((folder) =>
    readdirSync(path.join(root, folder))
      .filter((name) => name.endsWith('.md') && name !== 'semconv-proposal.md')
      .map((name) => `${folder}/${name}`),
  ),
];

describe('files that are written by hand', () => {
  const names = new Set([...conventions.attributes, ...conventions.metrics].map(({ name }) => name));

  test.each(handWritten)('%s has no name that the registry does not have', (file) => {
    const found = [...readText(file).matchAll(/event_loop\.[a-z_.]*[a-z_]/g)].map(([name]) => name);
    // `event_loop.blocked` stands for a namespace: `event_loop.blocked.*`, or the namespace of a connector.
    const isNamespace = (name: string): boolean => [...names].some((each) => each.startsWith(`${name}.`));
    expect(found.filter((name) => !names.has(name) && !isNamespace(name))).toEqual([]);
  });

  test.each(handWritten)("%s has no name of Prometheus that the registry's metrics do not have there", (file) => {
    const metrics = conventions.metrics.map(prometheusMetric);
    const labels = conventions.attributes.map(({ name }) => name.replaceAll('.', '_'));
    const found = [...readText(file).matchAll(/(?<![\w:./])event_loop_[a-z_]*[a-z](?!\w*[/:])/g)].map(([name]) => name);
    const isKnown = (name: string): boolean =>
      [...metrics, ...labels].some(
        (known) => known.startsWith(name) || name.replace(/_(bucket|sum|count)$/, '') === known,
      );
    expect(found.filter((name) => !isKnown(name))).toEqual([]);
  });
});

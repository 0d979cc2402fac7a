import { readFile } from 'node:fs/promises';
import path from 'node:path';

import { expect, test } from '@jest/globals';

const root = path.resolve(import.meta.dirname, '../..');

/** npm shows the package's README, the repository shows its own: readers of both need the same facts. */
test.each(['Supported versions'])(
  "the project's README and the package's have the same section: %s",
  async (heading) => {
    const ofProject = sectionsOf(await projectReadme());
    const ofPackage = sectionsOf(await packageReadme());
    expect(ofProject.get(heading)).toBeDefined();
    expect(ofPackage.get(heading)).toBe(ofProject.get(heading));
  },
);

test.each([
  'Options',
  'Spans',
  'Metrics',
  'Delayed requests and sampling',
  'Blocks in your logs, also without an SDK',
  'Span attributes',
  'Cost',
  'What it does not do',
])("only the package's README has the section: %s", async (heading) => {
  expect(sectionsOf(await packageReadme()).get(heading)).toBeDefined();
  expect(sectionsOf(await projectReadme()).get(heading)).toBeUndefined();
});

test("the package's README describes every span and metric, and with the page of names every attribute", async () => {
  const [spansAndMetrics, attributes] = [await publishedNames('SPAN|METRIC'), await publishedNames('ATTR')];
  expect([spansAndMetrics.length > 10, attributes.length > 15]).toEqual([true, true]);
  const described = await packageReadme();
  const names = await readFile(path.join(root, 'docs/conventions.md'), 'utf8');
  expect(spansAndMetrics.filter((name) => !described.includes(`\`${name}\``))).toEqual([]);
  expect(attributes.filter((name) => !names.includes(`\`${name}\``))).toEqual([]);
});

function projectReadme(): Promise<string> {
  return readFile(path.join(root, 'README.md'), 'utf8');
}

function packageReadme(): Promise<string> {
  return readFile(path.join(root, 'packages/instrumentation-event-loop/README.md'), 'utf8');
}

/** The sections of a page by their headings. */
function sectionsOf(page: string): ReadonlyMap<string, string> {
  return new Map(
    page
      .split(/^## /m)
      .slice(1)
      .map((section) => [section.slice(0, section.indexOf('\n')), section.slice(section.indexOf('\n')).trim()]),
  );
}

/** The names in semconv.ts whose constants begin so. */
async function publishedNames(prefix: string): Promise<string[]> {
  const source = await readFile(path.join(root, 'packages/instrumentation-event-loop/src/semconv.ts'), 'utf8');
  const constants = source.matchAll(new RegExp(`^export const (?:${prefix})_\\w+ = '([^']+)';$`, 'gm'));
  return [...constants].map(([, name = '']) => name);
}

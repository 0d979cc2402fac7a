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

test("the package's README describes every span, attribute and metric", async () => {
  const names = await publishedNames();
  expect(names.length).toBeGreaterThan(25);
  const described = await packageReadme();
  expect(names.filter((name) => !described.includes(`\`${name}\``))).toEqual([]);
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

/** The names of spans, attributes and metrics in semconv.ts. */
async function publishedNames(): Promise<string[]> {
  const source = await readFile(path.join(root, 'packages/instrumentation-event-loop/src/semconv.ts'), 'utf8');
  return [...source.matchAll(/^export const (?:SPAN|ATTR|METRIC)_\w+ = '([^']+)';$/gm)].map(([, name = '']) => name);
}

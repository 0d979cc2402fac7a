import { readFile } from 'node:fs/promises';
import path from 'node:path';

import { expect, test } from '@jest/globals';

const root = path.resolve(import.meta.dirname, '../..');

/** The sections of a page by their headings. */
async function sectionsOf(file: string): Promise<ReadonlyMap<string, string>> {
  const text = await readFile(path.join(root, file), 'utf8');
  return new Map(
    text
      .split(/^## /m)
      .slice(1)
      .map((section) => [section.slice(0, section.indexOf('\n')), section.slice(section.indexOf('\n')).trim()]),
  );
}

/** npm shows the package's README, the repository its own; users need the same reference in both. */
test.each(['Options', 'Spans', 'Metrics', 'What it does not do', 'Supported versions'])(
  "the README of the repository and that of the package have the same section '%s'",
  async (heading) => {
    const ofProject = await sectionsOf('README.md');
    const ofPackage = await sectionsOf('packages/instrumentation-event-loop/README.md');
    expect(ofProject.get(heading)).toBeDefined();
    expect(ofPackage.get(heading)).toBe(ofProject.get(heading));
  },
);

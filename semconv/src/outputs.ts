import { readFileSync } from 'node:fs';
import path from 'node:path';

import { format, resolveConfig } from 'prettier';

import { conventions } from './index.ts';
import { conventionsPage, readmeTables } from './write-markdown.ts';
import { semconvModule } from './write-typescript.ts';

const root = path.resolve(import.meta.dirname, '../..');

/** Text of each generated file by its path from the root of the checkout. Of the README, only the tables are generated. */
export async function outputs(): Promise<ReadonlyMap<string, string>> {
  const readme = 'packages/instrumentation-event-loop/README.md';
  const texts = [
    ['packages/instrumentation-event-loop/src/semconv.ts', semconvModule(conventions)] as const,
    ['docs/conventions.md', conventionsPage(conventions)] as const,
    [readme, withTables(readFileSync(path.join(root, readme), 'utf8'), readmeTables(conventions))] as const,
  ];
  return new Map(await Promise.all(texts.map(async ([file, text]) => [file, await formatted(file, text)] as const)));
}

/** Replaces what stands between `<!-- generated: NAME -->` and `<!-- end of generated -->`. */
export function withTables(page: string, tables: ReadonlyMap<string, string>): string {
  return page.replaceAll(
    /(<!-- generated: ([\w ]+) -->\n).*?(\n<!-- end of generated -->)/gs,
    (_, start: string, name: string, end: string) => {
      const table = tables.get(name);
      if (table === undefined) throw new Error(`Expected one of ${[...tables.keys()].join(', ')}, got ${name}.`);
      return `${start}\n${table}\n${end}`;
    },
  );
}

async function formatted(file: string, text: string): Promise<string> {
  const filepath = path.join(root, file);
  return format(text, { ...(await resolveConfig(filepath)), filepath });
}

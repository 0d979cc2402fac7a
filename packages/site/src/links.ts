import { existsSync } from 'node:fs';
import path from 'node:path';

import type { Rendered } from './markdown.ts';
import type { Storey } from './navigation.ts';
import { rootDirectory, type Source } from './pages.ts';
import { relativeFile } from './relative.ts';

interface Page {
  readonly source: Source;
  readonly page: Rendered;
}

/** Links to files, pages and headings that do not exist, and pages that no other page leads to. */
export function brokenLinks(
  sources: readonly Source[],
  pages: readonly Page[],
  navigation: readonly Storey[],
): readonly string[] {
  const headings = new Map(pages.map(({ source, page }) => [source.file, page.sections.map(({ anchor }) => anchor)]));
  const links = sources.flatMap(({ file, text }) => linksOf(text).map((link) => ({ file, link })));
  const reached = new Set(links.map(({ file, link }) => targetOf(file, link).file));
  const inNavigation = navigation.flatMap(({ groups }) => groups).flatMap((group) => group.links);
  return [
    ...links.map(({ file, link }) => problemOf(file, link, headings)).filter((problem) => problem !== undefined),
    ...inNavigation
      .filter(({ file }) => !headings.has(file))
      .map(({ file }) => `docs/README.md: expected a page of the site in the list, got ${file}.`),
    ...sources
      .filter(({ file }) => !isIndex(file) && !reached.has(file))
      .map(({ file }) => `${file}: expected a link to this page, in docs/README.md or another page.`),
  ];
}

/** Links and pictures of a page, without those in code. */
function linksOf(text: string): readonly string[] {
  const prose = text.replaceAll(/^ *```.*?^ *```/gms, '').replaceAll(/`[^`\n]*`/g, '');
  return [...prose.matchAll(/\]\(<?([^)\s>]+)>?\)/g)]
    .map(([, link = '']) => link)
    .filter((link) => !/^[a-z]+:/.test(link));
}

function problemOf(file: string, link: string, headings: ReadonlyMap<string, readonly string[]>): string | undefined {
  const target = targetOf(file, link);
  if (!existsSync(path.join(rootDirectory, target.file))) return `${file}: expected a file at ${link}, got none.`;
  const known = headings.get(target.file);
  if (target.anchor === '' || known === undefined || known.includes(target.anchor)) return undefined;
  return `${file}: expected a heading for ${link}, got none.`;
}

function targetOf(from: string, link: string): { file: string; anchor: string } {
  const [name = '', anchor = ''] = link.split('#');
  const file = name === '' ? from : relativeFile(from, decodeURI(name)).replace(/\/$/, '');
  const index = `${file}/README.md`;
  return { file: existsSync(path.join(rootDirectory, index)) ? index : file, anchor };
}

function isIndex(file: string): boolean {
  return path.posix.basename(file) === 'README.md';
}

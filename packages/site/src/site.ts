import { copyFileSync, cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';

import { escapeHtml, htmlPage } from './layout.ts';
import { brokenLinks } from './links.ts';
import { renderMarkdown, type Rendered, type Targets } from './markdown.ts';
import { readNavigation } from './navigation.ts';
import { addressOf, CONTENTS, readPages, rootDirectory, type Source } from './pages.ts';
import { relativeAddress, relativeFile } from './relative.ts';

const REPOSITORY = 'https://github.com/loopwatch/loopwatch';
/** More text of a section finds little more, and the index is loaded as a whole. */
const MAX_SEARCHED_CHARACTERS = 2000;

interface Result {
  readonly pages: number;
  /** Links without a target, and pages that no link leads to. */
  readonly problems: readonly string[];
}

/** Writes the site into a folder, which it replaces. `ref`: the branch or tag that links to the repository name. */
export function writeSite(directory: string, ref: string): Result {
  const sources = readPages();
  const addresses = new Map(sources.map(({ file, address }) => [file, address]));
  const navigation = readNavigation(sources.find(({ file }) => file === CONTENTS)!.text, CONTENTS);
  const { version } = JSON.parse(
    readFileSync(path.join(rootDirectory, 'packages/instrumentation-event-loop/package.json'), 'utf8'),
  ) as { version: string };
  const rendered = sources.map((source) => ({
    source,
    page: renderMarkdown(source.text, targetsOf(source, addresses, ref)),
  }));

  rmSync(directory, { recursive: true, force: true });
  mkdirSync(directory, { recursive: true });
  for (const { source, page } of rendered) {
    const onGitHub = `${REPOSITORY}/blob/${ref}/${source.file}`;
    write(directory, source.address, htmlPage({ ...source, page, navigation, version, onGitHub }));
  }
  cpSync(path.join(rootDirectory, 'docs/images'), path.join(directory, 'images'), { recursive: true });
  cpSync(path.resolve(import.meta.dirname, '../assets'), directory, { recursive: true });
  const minisearch = createRequire(import.meta.url).resolve('minisearch');
  copyFileSync(path.join(path.dirname(minisearch), '../umd/index.js'), path.join(directory, 'minisearch.js'));
  // A script and no JSON: a page that was opened from a folder may not fetch.
  write(directory, 'search.js', `globalThis.loopwatchSections = ${JSON.stringify(searched(rendered))};\n`);
  return { pages: sources.length, problems: brokenLinks(sources, rendered, navigation) };
}

function targetsOf({ file, address }: Source, addresses: ReadonlyMap<string, string>, ref: string): Targets {
  return {
    link(href) {
      if (/^([a-z]+:|#)/.test(href)) return href;
      const [link = '', anchor] = href.split('#');
      const target = relativeFile(file, decodeURI(link)).replace(/\/$/, '');
      const page = addresses.get(target) ?? addresses.get(`${target}/README.md`);
      const suffix = anchor === undefined ? '' : `#${anchor}`;
      if (page !== undefined) return relativeAddress(address, page) + suffix;
      return `${REPOSITORY}/${path.extname(target) === '' ? 'tree' : 'blob'}/${ref}/${target}${suffix}`;
    },
    picture(source, alternative) {
      const target = relativeFile(file, source);
      const image = (name: string, kind: string): string =>
        `<img src="${relativeAddress(address, name.replace(/^docs\//, ''))}" alt="${escapeHtml(alternative)}" class="${kind}">`;
      const dark = target.replace(/-light\.png$/, '-dark.png');
      if (dark === target || !existsSync(path.join(rootDirectory, dark))) return image(target, 'picture');
      return image(target, 'picture of-light') + image(dark, 'picture of-dark');
    },
  };
}

function searched(pages: readonly { readonly source: Source; readonly page: Rendered }[]): readonly object[] {
  return pages.flatMap(({ source, page }) =>
    page.sections.map(({ anchor, heading, text }, index) => ({
      id: `${addressOf(source.file)}#${anchor}`,
      page: page.title,
      heading: index === 0 ? '' : heading,
      text: text.slice(0, MAX_SEARCHED_CHARACTERS),
    })),
  );
}

function write(directory: string, address: string, text: string): void {
  const file = path.join(directory, address);
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, text);
}

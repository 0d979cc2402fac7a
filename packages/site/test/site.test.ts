import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

import { describe, expect, test } from '@jest/globals';

import { brokenLinks } from '../src/links.ts';
import { renderMarkdown } from '../src/markdown.ts';
import { readNavigation } from '../src/navigation.ts';
import { addressOf, type Source } from '../src/pages.ts';
import { relativeAddress } from '../src/relative.ts';
import { writeSite } from '../src/site.ts';
import { anchors } from '../src/slug.ts';

const directory = path.resolve(import.meta.dirname, '../temp/test');
const asIs = { link: (href: string) => href, picture: (source: string) => source };

describe('the site of this checkout', () => {
  const { pages, problems } = writeSite(directory, 'v1.2.3');
  const files = readdirSync(directory, { recursive: true, encoding: 'utf8' });
  const html = files
    .filter((name) => name.endsWith('.html'))
    .map((name) => ({ name, text: readFileSync(path.join(directory, name), 'utf8') }));

  test('has no link without a target and no page without a link (npm run site names them)', () => {
    expect(problems).toEqual([]);
    expect(html).toHaveLength(pages);
  });

  test('has only addresses that work below any path and from a folder', () => {
    const addresses = html.flatMap(({ name, text }) =>
      [...text.matchAll(/ (?:href|src)="([^"#]+)/g)].map(([, address = '']) => ({ name, address })),
    );
    const own = addresses.filter(({ address }) => !/^[a-z]+:/.test(address));
    expect(own.length).toBeGreaterThan(1000);
    const known = new Set(files.map((name) => name.replaceAll(path.sep, '/')));
    const missing = own.filter(({ name, address }) => !known.has(path.posix.join(path.posix.dirname(name), address)));
    expect(missing).toEqual([]);
  });

  test('links to files of the repository at the ref that it is built for', () => {
    expect(html.find(({ name }) => name === 'cli.html')?.text).toContain(
      'href="https://github.com/loopwatch/loopwatch/blob/v1.2.3/packages/cli/ARCHITECTURE.md"',
    );
  });

  test('has a picture for each theme', () => {
    const page = html.find(({ name }) => name === 'read-a-block.html')?.text ?? '';
    expect(page).toMatch(/images\/block-light\.png" alt="[^"]+" class="picture of-light"/);
    expect(page).toMatch(/images\/block-dark\.png" alt="[^"]+" class="picture of-dark"/);
  });
});

test('anchors are those of GitHub, also of a heading that is there twice', () => {
  const anchorOf = anchors();
  const headings = ['`loopwatch run`', "Where the loop's time goes", 'A / B, `c_d`', 'Cost', 'Cost', 'Größe'];
  expect(headings.map(anchorOf)).toEqual([
    'loopwatch-run',
    'where-the-loops-time-goes',
    'a--b-c_d',
    'cost',
    'cost-1',
    'größe',
  ]);
});

test('storeys, groups and links of the navigation come from the headings and lists of docs/README.md', () => {
  const text = '# All\n\n## Use\n\n### Start\n\n- [`a`](a.md): words [b](b.md)\n\n## Evidence\n\n- [C](e/c.md)\n';
  expect(readNavigation(text, 'docs/README.md')).toEqual([
    { title: 'Use', groups: [{ title: 'Start', links: [{ label: 'a', file: 'docs/a.md' }] }] },
    { title: 'Evidence', groups: [{ title: '', links: [{ label: 'C', file: 'docs/e/c.md' }] }] },
  ]);
});

test.each([
  ['docs/README.md', 'contents.html'],
  ['README.md', 'index.html'],
  ['docs/runbooks/README.md', 'runbooks/index.html'],
  ['docs/evidence/cases/README.md', 'evidence/cases/index.html'],
  ['docs/evidence/cases/blocks.md', 'evidence/cases/blocks.html'],
])('%s is the page %s', (file, address) => {
  expect(addressOf(file)).toBe(address);
});

test.each([
  ['runbooks/a.html', 'runbooks/b.html', 'b.html'],
  ['runbooks/a.html', 'cli.html', '../cli.html'],
  ['cli.html', 'evidence/index.html', 'evidence/index.html'],
])('the address from %s to %s is relative', (from, to, address) => {
  expect(relativeAddress(from, to)).toBe(address);
});

test('the check finds a link without a file, one without a heading, and a page without a link', () => {
  const sources: readonly Source[] = [
    {
      file: 'docs/README.md',
      text: '# A\n\n[cli](cli.md) [gone](gone.md) [there](cli.md#there) [not](cli.md#not) `[x](y.md)`',
    },
    { file: 'docs/cli.md', text: '# B\n\n## There\n\n```\n[x](y.md)\n```' },
    { file: 'docs/ci.md', text: '# C' },
  ].map(({ file, text }) => ({ file, text, address: addressOf(file) }));
  const pages = sources.map((source) => ({ source, page: renderMarkdown(source.text, asIs) }));
  expect(brokenLinks(sources, pages, [])).toEqual([
    'docs/README.md: expected a file at gone.md, got none.',
    'docs/README.md: expected a heading for cli.md#not, got none.',
    'docs/ci.md: expected a link to this page, in docs/README.md or another page.',
  ]);
});

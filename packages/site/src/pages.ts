import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

export const rootDirectory = path.resolve(import.meta.dirname, '../../..');

/** A Markdown file that is a page of the site. */
export interface Source {
  /** Relative to the checkout, with slashes. */
  readonly file: string;
  /** Of the page, relative to the site, with slashes. */
  readonly address: string;
  readonly text: string;
}

/** Pages outside of docs/. */
const OTHERS = new Map([
  ['README.md', 'index.html'],
  ['CONTRIBUTING.md', 'contributing.html'],
  ['SECURITY.md', 'reporting.html'],
  ['packages/instrumentation-event-loop/README.md', 'package.html'],
]);

export const CONTENTS = 'docs/README.md';

/** All pages: those outside of docs/, and every Markdown file in it. */
export function readPages(): readonly Source[] {
  const documents = readdirSync(path.join(rootDirectory, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name.replaceAll(path.sep, '/')}`)
    .sort();
  return [...OTHERS.keys(), ...documents].map((file) => ({
    file,
    address: addressOf(file),
    text: readFileSync(path.join(rootDirectory, file), 'utf8'),
  }));
}

/** `docs/runbooks/README.md` is `runbooks/index.html`. */
export function addressOf(file: string): string {
  if (file === CONTENTS) return 'contents.html';
  return (
    OTHERS.get(file) ??
    file
      .replace(/^docs\//, '')
      .replace(/README\.md$/, 'index.html')
      .replace(/\.md$/, '.html')
  );
}

import path from 'node:path';

/** A link of the navigation. */
export interface PageLink {
  readonly label: string;
  /** Relative to the checkout. */
  readonly file: string;
}

/** The file, relative to the checkout, that a link in `from` names. */
export function relativeFile(from: string, link: string): string {
  return path.posix.normalize(path.posix.join(path.posix.dirname(from), link));
}

/** The link from one page of the site to another, or to an asset: works from any path and from a folder. */
export function relativeAddress(from: string, to: string): string {
  return path.posix.relative(path.posix.dirname(from), to) || path.posix.basename(to);
}

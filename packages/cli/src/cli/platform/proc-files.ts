import { readdirSync, readFileSync, readlinkSync, statSync } from 'node:fs';

import { platformKind } from './kind.js';

/** The text of a file in `/proc`; undefined when the process has ended or belongs to another user, or there is no `/proc`. */
export function read(name: string): string | undefined {
  return attempt(() => readFileSync(`/proc/${name}`, 'utf8'));
}

/** Where a link in `/proc` leads; undefined as for `read`. */
export function link(name: string): string | undefined {
  return attempt(() => readlinkSync(`/proc/${name}`));
}

/** Device and inode of the file to which a link in `/proc` leads: the same for each name of that file; undefined as for `read`. */
export function identityOf(name: string): string | undefined {
  return attempt(() => {
    const { dev, ino } = statSync(`/proc/${name}`, { bigint: true });
    return `${dev}:${ino}`;
  });
}

/** The names in a directory of `/proc`; none where it cannot be read. */
export function entries(name: string): string[] {
  return attempt(() => readdirSync(`/proc/${name}`)) ?? [];
}

function attempt<T>(access: () => T): T | undefined {
  if (platformKind() !== 'proc') return undefined;
  try {
    return access();
  } catch {
    return undefined;
  }
}

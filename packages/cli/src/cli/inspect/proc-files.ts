import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

/** The text of a file in `/proc`; undefined when the process has ended or belongs to another user. */
export function read(name: string): string | undefined {
  try {
    return readFileSync(`/proc/${name}`, 'utf8');
  } catch {
    return undefined;
  }
}

/** Where a link in `/proc` leads; undefined as for `read`. */
export function link(name: string): string | undefined {
  try {
    return readlinkSync(`/proc/${name}`);
  } catch {
    return undefined;
  }
}

/** The names in a directory of `/proc`; none where it cannot be read. */
export function entries(name: string): string[] {
  try {
    return readdirSync(`/proc/${name}`);
  } catch {
    return [];
  }
}

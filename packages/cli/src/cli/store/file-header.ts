import { closeSync, constants, fstatSync, openSync, readSync, statSync } from 'node:fs';

/** Stored in the file's `application_id`: `LOOP` in ASCII. Files of 0.1 have none. */
export const APPLICATION_ID = 0x4c_4f_4f_50;
/** Stored in the file's `user_version`. */
export const FORMAT_VERSION = 1;

const MAGIC = 'SQLite format 3\0';
const HEADER_BYTES = 100;
const JOURNAL_MAGIC = Buffer.from('d9d505f920a163d7', 'hex');
const ROLLBACK_JOURNAL = 1;
const PRIVATE_MODE = 0o600;

/** Which file it is, whatever its path. */
export interface FileIdentity {
  readonly ino: number;
  readonly dev: number;
}

/**
 * Looks at the file before SQLite opens it, and creates it for this user alone where there is none. SQLite completes or
 * takes back what a killed program has left, also if that is another program's database, and removes its journal: so
 * what is not ours is refused here. It must not be open yet: to close another descriptor gives up the locks of a process.
 */
export function inspectFile(file: string, { readOnly }: { readonly readOnly: boolean }): FileIdentity {
  const present = statSync(file, { throwIfNoEntry: false });
  if (present && !present.isFile()) throw new Error('this is not a regular file');
  const start = beginningOf(file, readOnly ? constants.O_RDONLY : constants.O_RDWR | constants.O_CREAT);
  if (start.bytes.toString('latin1', 0, MAGIC.length) === MAGIC && !mayBeOurs(start.bytes)) throw foreignDatabase();
  const journal = `${file}-journal`;
  if (statSync(journal, { throwIfNoEntry: false })?.isFile()) {
    const { bytes } = beginningOf(journal, constants.O_RDONLY);
    const isJournal = bytes.length === 0 || bytes[0] === 0 || bytes.subarray(0, 8).equals(JOURNAL_MAGIC);
    if (!isJournal) throw new Error(`${journal} is not a journal of SQLite, which would remove it. Move it away`);
  }
  return start.identity;
}

export function foreignDatabase(): Error {
  return new Error('it is the database of another program, which is left as it is');
}

function beginningOf(file: string, flags: number): { readonly bytes: Buffer; readonly identity: FileIdentity } {
  const descriptor = openSync(file, flags, PRIVATE_MODE);
  try {
    const bytes = Buffer.alloc(HEADER_BYTES);
    const { ino, dev } = fstatSync(descriptor);
    return { bytes: bytes.subarray(0, readSync(descriptor, bytes, 0, HEADER_BYTES, 0)), identity: { ino, dev } };
  } finally {
    closeSync(descriptor);
  }
}

/** Offsets of the file format: https://www.sqlite.org/fileformat2.html#the_database_header */
function mayBeOurs(header: Buffer): boolean {
  if (header.length < HEADER_BYTES) return false;
  const applicationId = header.readUInt32BE(68);
  if (applicationId !== 0) return applicationId === APPLICATION_ID;
  const isEmpty = header.readUInt32BE(28) === 0;
  return isEmpty || (header.readUInt32BE(60) === FORMAT_VERSION && header[18] === ROLLBACK_JOURNAL);
}

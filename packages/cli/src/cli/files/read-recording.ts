import { promises as fs } from 'node:fs';

import { Ajv2020, type ErrorObject } from 'ajv/dist/2020.js';

import { type Recording, RECORDING_SCHEMA_VERSION } from '../../model/recording/recording.js';

/** The schema beside the package's `dist`. */
const SCHEMA_FILE = new URL('../schema/recording.schema.json', import.meta.url);

const HOW_TO_MAKE = 'Make one with: loopwatch run --json FILE -- COMMAND';

/** V8 holds no longer text than 512 MiB, and the parsed recording takes several times its text. */
const MAX_FILE_BYTES = 256 * 1024 * 1024;

/** A recording cannot be read. The message names the file, what is wrong with it, and what to do. */
export class RecordingFileError extends Error {}

/** Reads the files that `run --json` has written. Rejects with a `RecordingFileError`. */
export async function readRecordings(names: readonly string[], schemaFile = SCHEMA_FILE): Promise<Recording[]> {
  const validate = new Ajv2020().compile<Recording>(JSON.parse(await fs.readFile(schemaFile, 'utf8')) as object);
  return Promise.all(
    names.map(async (name) => {
      const value = parse(name, await read(name));
      const { schemaVersion } = (value ?? {}) as { readonly schemaVersion?: unknown };
      if (typeof schemaVersion === 'number' && schemaVersion !== RECORDING_SCHEMA_VERSION) {
        throw new RecordingFileError(
          `Cannot compare ${name}: it has schema version ${schemaVersion}, expected ${RECORDING_SCHEMA_VERSION}. Use the version of Loopwatch that made it.`,
        );
      }
      if (!validate(value)) {
        throw new RecordingFileError(
          `Cannot compare ${name}: it is no recording (${problem(validate.errors?.[0])}). ${HOW_TO_MAKE}`,
        );
      }
      return value;
    }),
  );
}

async function read(name: string): Promise<string> {
  try {
    const { size } = await fs.stat(name);
    if (size > MAX_FILE_BYTES) {
      throw new RecordingFileError(
        `Cannot compare ${name}: it has ${Math.round(size / 1024 / 1024)} MiB, expected at most ${MAX_FILE_BYTES / 1024 / 1024} MiB. ${HOW_TO_MAKE}`,
      );
    }
    return await fs.readFile(name, 'utf8');
  } catch (cause) {
    if (cause instanceof RecordingFileError) throw cause;
    const { code = String(cause) } = cause as NodeJS.ErrnoException;
    throw new RecordingFileError(`Cannot read ${name} (${code}). ${HOW_TO_MAKE}`, { cause });
  }
}

function parse(name: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new RecordingFileError(`Cannot compare ${name}: it is no JSON. ${HOW_TO_MAKE}`, { cause });
  }
}

function problem(error: ErrorObject | undefined): string {
  return `${error?.instancePath === '' ? 'the file' : error?.instancePath} ${error?.message ?? 'is not valid'}`;
}

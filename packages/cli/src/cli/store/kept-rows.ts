import { readFileSync } from 'node:fs';

import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';

import { browsableUrl } from '../../model/text/source-url.js';
import type { Block, Instance, LagPoint } from '../../model/types.js';

/** The schema beside the package's `dist`: what a recording may contain, a file of `--keep` may. */
const SCHEMA_FILE = new URL('../schema/recording.schema.json', import.meta.url);
/** Data of an instance whose clock is ahead by more is left in the file: it would never become old. */
const MAX_AHEAD_MS = 24 * 3_600_000;

/** Reads rows of the file. Undefined for what is damaged or out of range: anything can be in a file. */
export interface RowReader {
  block(text: unknown, nowMs: number): Block | undefined;
  lag(text: unknown, nowMs: number): LagPoint | undefined;
  instance(text: unknown): Instance | undefined;
}

export function createRowReader(schemaFile = SCHEMA_FILE): RowReader {
  const ajv = new Ajv2020();
  ajv.addSchema(JSON.parse(readFileSync(schemaFile, 'utf8')) as object, 'recording');
  const validatorOf = <T>(name: string): ValidateFunction<T> => ajv.compile<T>({ $ref: `recording#/$defs/${name}` });
  const isBlock = validatorOf<Block>('block');
  const isLagPoint = validatorOf<LagPoint>('lagPoint');
  const isInstance = validatorOf<Instance>('process');
  const isTime = (startMs: number, endMs: number, nowMs: number): boolean =>
    startMs >= 0 && startMs <= endMs && endMs <= nowMs + MAX_AHEAD_MS;
  return {
    block(text, nowMs) {
      const value = parse(text);
      return isBlock(value) && isTime(value.startMs, value.startMs + value.durationMs, nowMs) ? value : undefined;
    },
    lag(text, nowMs) {
      const value = parse(text);
      const isUsable = isLagPoint(value) && isTime(value.startMs, value.endMs, nowMs);
      return isUsable && value.counts.length === value.boundsMs.length + 1 ? value : undefined;
    },
    instance(text) {
      const value = parse(text);
      if (!isInstance(value)) return undefined;
      const { vcs, directory, ...instance } = value;
      const isLink = vcs !== undefined && browsableUrl(String(vcs.repositoryUrl)) === vcs.repositoryUrl;
      return {
        ...instance,
        ...(isLink && typeof vcs.revision === 'string' && { vcs }),
        ...(typeof directory === 'string' && { directory }),
      };
    },
  };
}

function parse(text: unknown): unknown {
  try {
    return JSON.parse(String(text));
  } catch {
    return undefined;
  }
}

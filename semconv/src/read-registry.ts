import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

import { Ajv2020 } from 'ajv/dist/2020.js';
import { parse } from 'yaml';

import type { Group } from './format.ts';

const directory = path.resolve(import.meta.dirname, '..');
const manifestName = 'registry_manifest.yaml';

export interface Manifest {
  readonly schema_url: string;
  readonly dependencies: readonly { readonly schema_url: string; readonly registry_path: string }[];
}

export function readManifest(): Manifest {
  return readYaml(manifestName) as Manifest;
}

/** The groups of all files of the registry. Throws an error with every violation of the schema. */
export function readGroups(): Group[] {
  return readdirSync(path.join(directory, 'registry'))
    .filter((name) => name.endsWith('.yaml') && name !== manifestName)
    .sort()
    .flatMap((name) => groupsIn(readYaml(name), name));
}

/** The groups in the content of a file. */
export function groupsIn(content: unknown, name: string): readonly Group[] {
  if (matchesSchema(content)) return content.groups;
  const violations = matchesSchema.errors?.map(({ instancePath, message = '' }) => `${instancePath}: ${message}`);
  throw new Error(`Expected ${name} to match semconv/schema.json:\n${violations?.join('\n') ?? ''}`);
}

const matchesSchema = new Ajv2020({ allErrors: true, strict: true, strictRequired: false }).compile<{
  readonly groups: readonly Group[];
}>(JSON.parse(readFileSync(path.join(directory, 'schema.json'), 'utf8')) as object);

function readYaml(name: string): unknown {
  return parse(readFileSync(path.join(directory, 'registry', name), 'utf8'));
}

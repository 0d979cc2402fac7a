import { isMap, isScalar, parseDocument, type Pair, type YAMLMap } from 'yaml';

/** What the checker reads of a schema. */
export interface Schema {
  readonly description?: string;
  readonly $ref?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly $defs?: Readonly<Record<string, Schema>>;
}

/** A key of a values file, with the comment above it. */
interface Key {
  readonly path: string;
  /** Absent for a key of a mapping in one line, which has no room for it. */
  readonly comment?: string;
}

/**
 * What a values file and its schema leave without a word: keys without a comment above, keys without a description in the
 * schema or with another than the comment, properties of the schema that the values do not have.
 */
export function undocumented(values: string, schema: Schema): string[] {
  const { contents } = parseDocument(values);
  if (!isMap(contents)) throw new Error('Expected a mapping of values.');
  return problemsOf(contents, schema, schema, '');
}

function problemsOf(map: YAMLMap, schema: Schema, root: Schema, parent: string): string[] {
  const { properties } = resolved(schema, root);
  // Any key is accepted here, such as a label.
  if (properties === undefined) return [];
  const names = map.items.map((pair) => nameOf(pair));
  const missing = Object.keys(properties).filter((name) => !names.includes(name) && parent + name !== 'global');
  return [
    ...map.items.flatMap((pair, index) => {
      const name = nameOf(pair);
      const property = properties[name] ?? {};
      const key = { path: parent + name, ...(map.flow !== true && { comment: commentAbove(map, pair, index) }) };
      const inside = isMap(pair.value) ? problemsOf(pair.value, property, root, `${key.path}.`) : [];
      return [...problemsOfKey(key, resolved(property, root).description), ...inside];
    }),
    // The one line of a shared definition may leave out what has a default.
    ...(map.flow === true ? [] : missing.map((name) => `${parent}${name}: in the schema, not in the values`)),
  ];
}

function problemsOfKey({ path, comment }: Key, description = ''): string[] {
  if (comment === '') return [`${path}: no comment`];
  if (description === '') return [`${path}: no description in the schema`];
  if (comment !== undefined && comment !== description) return [`${path}: the description is not the comment`];
  return [];
}

/** With `$ref` followed; the description beside it is that of this use. */
function resolved(schema: Schema, root: Schema): Schema {
  const name = /^#\/\$defs\/(\w+)$/.exec(schema.$ref ?? '')?.[1];
  return name === undefined ? schema : { ...root.$defs?.[name], ...schema };
}

function nameOf({ key }: Pair): string {
  return isScalar(key) ? String(key.value) : '';
}

/**
 * The paragraph above a key, in one line; what a blank line separates from it is about the file. A comment above the first
 * key belongs to the mapping.
 */
function commentAbove(map: YAMLMap, { key }: Pair, index: number): string {
  const text = (isScalar(key) ? key.commentBefore : undefined) ?? (index === 0 ? map.commentBefore : undefined) ?? '';
  const paragraph = text.split(/\n\s*\n/).at(-1) ?? '';
  return paragraph.replaceAll(/\s+/g, ' ').trim();
}

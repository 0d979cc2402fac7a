/*
 * How a message of OTLP is described once for both of its encodings: `schema.ts` has the tables of fields, `json.ts` and
 * `protobuf.ts` read by them. A field that is in no table is skipped without being decoded: this keeps the receiver
 * faster than a busy exporter.
 */

/** What a field holds, by its type in protobuf. `id`: bytes, read as hex; `bytes`: read as base64. */
export interface Scalars {
  readonly string: string;
  readonly id: string;
  readonly bytes: string;
  readonly bool: boolean;
  readonly enum: number;
  readonly sint32: number;
  readonly int64: number;
  readonly uint64: number;
  readonly fixed64: number;
  readonly sfixed64: number;
  readonly double: number;
}

/** A field of a message; a table has it by its name in JSON. `V` is the type of what is read. */
export type Field<V = unknown> = {
  /** Its number in protobuf. */
  readonly number: number;
  /** Only a type: there is no such value. */
  readonly value?: V;
} & (
  | { readonly kind: 'scalar' | 'numbers'; readonly type: keyof Scalars }
  // A function, because a message may contain itself.
  | { readonly kind: 'one' | 'many'; readonly type: () => Message<unknown> }
);

type NamedField = Field & { readonly name: string };

/** What was read of a message, by the names of its fields. An absent field is undefined. */
export type RawMessage = Record<string, unknown>;

export interface Message<T> {
  readonly byName: ReadonlyMap<string, NamedField>;
  readonly byNumber: readonly (NamedField | undefined)[];
  /** Its estimated size in memory, if it is large. */
  readonly bytes: number | undefined;
  /** What is kept of what was read. Without it, that is the value of the last field. */
  readonly finish: ((raw: RawMessage) => T) | undefined;
  /** Without `finish`: what is kept of a message without a field. */
  readonly empty: T | undefined;
}

type Raw<Fields> = { readonly [Name in keyof Fields]?: Fields[Name] extends Field<infer V> ? V | undefined : never };

type Table = Readonly<Record<string, Field>>;

/** Describes a message: its fields, and what is kept of them. */
export function message<Fields extends Table, T>(
  table: Fields,
  finish: (raw: Raw<Fields>) => T,
  bytes?: number,
): Message<T> {
  return { ...indexed(table), bytes, finish: finish as (raw: RawMessage) => T, empty: undefined };
}

/** Describes a message of which one field is kept: that which it has, or the only one that is read. */
export function oneOf<T>(table: Readonly<Record<string, Field<T>>>, empty: T, bytes?: number): Message<T> {
  return { ...indexed(table), bytes, finish: undefined, empty };
}

function indexed(table: Table): Pick<Message<unknown>, 'byName' | 'byNumber'> {
  const byName = new Map<string, NamedField>();
  const byNumber: (NamedField | undefined)[] = [];
  for (const [name, field] of Object.entries(table)) {
    const named = { ...field, name };
    byName.set(name, named);
    byNumber[field.number] = named;
  }
  return { byName, byNumber };
}

export function field<K extends keyof Scalars>(number: number, type: K): Field<Scalars[K]> {
  return { kind: 'scalar', number, type };
}

/** Numbers of a histogram. Of too many, one more than is kept is read: that shows that there are too many. */
export function numbers(number: number, type: 'fixed64' | 'uint64' | 'double'): Field<number[]> {
  return { kind: 'numbers', number, type };
}

export function one<T>(number: number, type: () => Message<T>): Field<T> {
  return { kind: 'one', number, type };
}

export function many<T>(number: number, type: () => Message<T>): Field<T[]> {
  return { kind: 'many', number, type };
}

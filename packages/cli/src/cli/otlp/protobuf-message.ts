import { PbfReader } from 'pbf';

import { MAX_BUCKETS } from '../../model/accept/lag-point.js';
import { MAX_STACK } from '../../model/rules.js';
import type { Attributes, AttributeValue } from '../../model/types.js';
import { DecodeBudget, ENTRY_BYTES, MalformedBodyError, MAX_DEPTH, OversizedBodyError } from './decoded.js';

/*
 * Field numbers are those of opentelemetry-proto 1.x (trace/v1/trace.proto, metrics/v1/metrics.proto, common/v1/common.proto).
 * Fields that Loopwatch does not use are skipped without being decoded: this keeps the receiver faster than a busy
 * exporter.
 */

export type MutableAttributes = Record<string, AttributeValue>;

/** Reads one body, and knows how much of it may be decoded. */
export class OtlpReader extends PbfReader {
  readonly budget = new DecodeBudget();
  #depth = 0;

  /** Position after the present field, of which the length comes next. */
  endOfField(): number {
    const end = this.readVarint() + this.pos;
    if (!(end <= this.length)) throw new MalformedBodyError('A field is longer than the body.');
    return end;
  }

  /** Reads an embedded message into the target. A field longer than its message is malformed. */
  message<T>(target: T, read: (field: number, target: T) => void): T {
    const end = this.endOfField();
    this.budget.take(ENTRY_BYTES);
    this.#depth += 1;
    if (this.#depth > MAX_DEPTH) throw new MalformedBodyError('Values are nested too deeply.');
    this.readFields(
      (field, result: T) => {
        read(field, result);
      },
      target,
      end,
    );
    this.#depth -= 1;
    if (this.pos !== end) throw new MalformedBodyError('A field is longer than its message.');
    return target;
  }

  /** Of a long text only its start, which is more than is kept. */
  text(): string {
    const end = this.endOfField();
    const length = Math.min(end - this.pos, MAX_TEXT_BYTES);
    this.budget.take(length);
    const text = Buffer.from(this.buf.buffer, this.buf.byteOffset + this.pos, length).toString();
    this.pos = end;
    return text;
  }

  bytes(): Uint8Array {
    const end = this.endOfField();
    const bytes = this.buf.subarray(this.pos, Math.min(end, this.pos + MAX_TEXT_BYTES));
    this.budget.take(bytes.length);
    this.pos = end;
    return bytes;
  }

  /** Numbers of a histogram, packed or not: of too many, one more than is kept. */
  numbers(known: number[], read: () => number): number[] {
    const isPacked = this.type === PACKED;
    const end = isPacked ? this.endOfField() : this.pos + 1;
    while (this.pos < end && (!isPacked || known.length <= MAX_BUCKETS)) {
      const value = read();
      if (known.length <= MAX_BUCKETS) known.push(value);
    }
    this.pos = Math.max(this.pos, end);
    return known;
  }
}

/** Wire type of packed numbers. */
const PACKED = 2;
/** A text with fewer characters than `MAX_STACK` has at most so many bytes. */
const MAX_TEXT_BYTES = 4 * MAX_STACK;

export function decode<T>(body: Uint8Array, read: (reader: OtlpReader) => T): T {
  const reader = new OtlpReader(body);
  try {
    const result = read(reader);
    if (reader.pos === body.length) return result;
  } catch (cause) {
    if (cause instanceof OversizedBodyError) throw cause;
    throw new MalformedBodyError('Expected OTLP as protobuf, got invalid protobuf.', { cause });
  }
  throw new MalformedBodyError('Expected OTLP as protobuf, got an incomplete body.');
}

export function readResource(reader: OtlpReader, attributes: MutableAttributes): void {
  reader.message(attributes, (field) => {
    if (field === 1) readKeyValue(reader, attributes);
  });
}

export function readScopeName(reader: OtlpReader): string {
  return reader.message({ name: '' }, (field, scope) => {
    if (field === 1) scope.name = reader.text();
  }).name;
}

export function readKeyValue(reader: OtlpReader, attributes: MutableAttributes): void {
  const pair = reader.message({ key: '', value: null as AttributeValue }, (field, target) => {
    if (field === 1) target.key = reader.text();
    else if (field === 2) target.value = readAnyValue(reader);
  });
  attributes[pair.key] = pair.value;
}

function readAnyValue(reader: OtlpReader): AttributeValue {
  return reader.message({ value: null as AttributeValue }, (field, any) => {
    if (field === 1) any.value = reader.text();
    else if (field === 2) any.value = reader.readBoolean();
    else if (field === 3) any.value = reader.readVarint(true);
    else if (field === 4) any.value = reader.readDouble();
    else if (field === 5) any.value = readArray(reader);
    else if (field === 6) any.value = readKeyValueList(reader);
    else if (field === 7) any.value = Buffer.from(reader.bytes()).toString('base64');
  }).value;
}

function readArray(reader: OtlpReader): AttributeValue[] {
  return reader.message([] as AttributeValue[], (field, values) => {
    if (field === 1) values.push(readAnyValue(reader));
  });
}

function readKeyValueList(reader: OtlpReader): Attributes {
  return reader.message(emptyAttributes(), (field, attributes) => {
    if (field === 1) readKeyValue(reader, attributes);
  });
}

/** Without a prototype: an attribute may be named `__proto__`. */
export function emptyAttributes(): MutableAttributes {
  return Object.create(null) as MutableAttributes;
}

export function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('hex');
}

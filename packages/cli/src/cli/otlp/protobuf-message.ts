import { PbfReader } from 'pbf';

import type { Attributes, AttributeValue } from '../../model/types.js';
import { MalformedBodyError } from './decoded.js';

/*
 * Field numbers are those of opentelemetry-proto 1.x (trace/v1/trace.proto, metrics/v1/metrics.proto, common/v1/common.proto).
 * Fields that Loopwatch does not use are skipped without being decoded: this keeps the receiver faster than a busy
 * exporter.
 */

export type MutableAttributes = Record<string, AttributeValue>;

export function decode<T>(body: Uint8Array, read: (reader: PbfReader) => T): T {
  const reader = new PbfReader(body);
  try {
    const result = read(reader);
    if (reader.pos === body.length) return result;
  } catch (cause) {
    throw new MalformedBodyError('Expected OTLP as protobuf, got invalid protobuf.', { cause });
  }
  throw new MalformedBodyError('Expected OTLP as protobuf, got an incomplete body.');
}

/** Reads an embedded message into the target. A message longer than its container is malformed. */
export function message<T>(reader: PbfReader, target: T, read: (field: number, target: T) => void): T {
  const end = endOfMessage(reader);
  reader.readFields(
    (field, result: T) => {
      read(field, result);
    },
    target,
    end,
  );
  if (reader.pos !== end) throw new MalformedBodyError('A field is longer than its message.');
  return target;
}

function endOfMessage(reader: PbfReader): number {
  const length = reader.readVarint();
  const end = reader.pos + length;
  if (end > reader.length) throw new MalformedBodyError('A message is longer than the body.');
  return end;
}

export function readResource(reader: PbfReader, attributes: MutableAttributes): void {
  message(reader, attributes, (field) => {
    if (field === 1) readKeyValue(reader, attributes);
  });
}

export function readScopeName(reader: PbfReader): string {
  return message(reader, { name: '' }, (field, scope) => {
    if (field === 1) scope.name = reader.readString();
  }).name;
}

export function readKeyValue(reader: PbfReader, attributes: MutableAttributes): void {
  const pair = message(reader, { key: '', value: null as AttributeValue }, (field, target) => {
    if (field === 1) target.key = reader.readString();
    else if (field === 2) target.value = readAnyValue(reader);
  });
  attributes[pair.key] = pair.value;
}

function readAnyValue(reader: PbfReader): AttributeValue {
  return message(reader, { value: null as AttributeValue }, (field, any) => {
    if (field === 1) any.value = reader.readString();
    else if (field === 2) any.value = reader.readBoolean();
    else if (field === 3) any.value = reader.readVarint(true);
    else if (field === 4) any.value = reader.readDouble();
    else if (field === 5) any.value = readArray(reader);
    else if (field === 6) any.value = readKeyValueList(reader);
    else if (field === 7) any.value = Buffer.from(reader.readBytes()).toString('base64');
  }).value;
}

function readArray(reader: PbfReader): AttributeValue[] {
  return message(reader, [] as AttributeValue[], (field, values) => {
    if (field === 1) values.push(readAnyValue(reader));
  });
}

function readKeyValueList(reader: PbfReader): Attributes {
  return message(reader, emptyAttributes(), (field, attributes) => {
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

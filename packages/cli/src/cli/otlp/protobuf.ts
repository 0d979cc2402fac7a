import { PbfReader, PbfWriter } from 'pbf';

import { MAX_BUCKETS } from '../../model/accept/lag-point.js';
import { MAX_STACK } from '../../model/rules.js';
import {
  DecodeBudget,
  type DecodedMetric,
  ENTRY_BYTES,
  MalformedBodyError,
  MAX_DEPTH,
  OversizedBodyError,
  type SpanGroup,
} from './decoded.js';
import type { Field, Message, RawMessage, Scalars } from './message.js';
import { METRICS, TRACES } from './schema.js';

/** Decodes an `ExportTraceServiceRequest`. */
export function decodeTraces(body: Uint8Array): SpanGroup[] {
  return decode(body, TRACES);
}

/** Decodes an `ExportMetricsServiceRequest`. */
export function decodeMetrics(body: Uint8Array): DecodedMetric[] {
  return decode(body, METRICS);
}

/** A `google.rpc.Status` message: the body of an OTLP error response. */
export function protobufStatus(message: string): Uint8Array {
  const writer = new PbfWriter();
  writer.writeStringField(2, message);
  return writer.finish();
}

function decode<T>(body: Uint8Array, message: Message<T>): T {
  const reader = new OtlpReader(body);
  try {
    const result = reader.fieldsOf(message, body.length);
    if (reader.pos === body.length) return result;
  } catch (cause) {
    if (cause instanceof OversizedBodyError) throw cause;
    throw new MalformedBodyError('Expected OTLP as protobuf, got invalid protobuf.', { cause });
  }
  throw new MalformedBodyError('Expected OTLP as protobuf, got an incomplete body.');
}

const SCALARS: { readonly [K in keyof Scalars]: (reader: OtlpReader) => Scalars[K] } = {
  string: (reader) => reader.text(),
  id: (reader) => reader.encoded('hex'),
  bytes: (reader) => reader.encoded('base64'),
  bool: (reader) => reader.readBoolean(),
  enum: (reader) => reader.readVarint(),
  sint32: (reader) => reader.readSVarint(),
  int64: (reader) => reader.readVarint(true),
  uint64: (reader) => reader.readVarint(),
  fixed64: (reader) => reader.readFixed64(),
  sfixed64: (reader) => reader.readSFixed64(),
  double: (reader) => reader.readDouble(),
};

/** Wire type of packed numbers. */
const PACKED = 2;
/** A text with fewer characters than `MAX_STACK` has at most so many bytes. */
const MAX_TEXT_BYTES = 4 * MAX_STACK;

/** Reads one body, and knows how much of it may be decoded. */
class OtlpReader extends PbfReader {
  readonly #budget = new DecodeBudget();
  #depth = 0;

  /** Reads the fields of a message that ends there. */
  fieldsOf<T>({ byNumber, finish, empty }: Message<T>, end: number): T {
    if (finish === undefined) {
      let last: unknown = empty;
      this.readFields(
        (number) => {
          const field = byNumber[number];
          if (field !== undefined) last = this.#valueOf(field, undefined);
        },
        undefined,
        end,
      );
      return last as T;
    }
    const raw: RawMessage = {};
    this.readFields(
      (number) => {
        const field = byNumber[number];
        if (field !== undefined) raw[field.name] = this.#valueOf(field, raw[field.name]);
      },
      undefined,
      end,
    );
    return finish(raw);
  }

  /** `known`: what was read of the field before. */
  #valueOf(field: Field, known: unknown): unknown {
    switch (field.kind) {
      case 'scalar':
        return SCALARS[field.type](this);
      case 'numbers':
        return this.#numbers(known as number[] | undefined, SCALARS[field.type]);
      case 'one':
        return this.#message(field.type());
      case 'many': {
        const list = (known ?? []) as unknown[];
        list.push(this.#message(field.type()));
        return list;
      }
    }
  }

  /** Reads an embedded message. A field longer than its message is malformed. */
  #message<T>(message: Message<T>): T {
    const end = this.#endOfField();
    this.#budget.take(message.bytes ?? ENTRY_BYTES);
    this.#depth += 1;
    if (this.#depth > MAX_DEPTH) throw new MalformedBodyError('Values are nested too deeply.');
    const value = this.fieldsOf(message, end);
    this.#depth -= 1;
    if (this.pos !== end) throw new MalformedBodyError('A field is longer than its message.');
    return value;
  }

  /** Of a long text only its start, which is more than is kept. */
  text(): string {
    return this.#start().toString();
  }

  encoded(encoding: 'hex' | 'base64'): string {
    return this.#start().toString(encoding);
  }

  #start(): Buffer {
    const end = this.#endOfField();
    const length = Math.min(end - this.pos, MAX_TEXT_BYTES);
    this.#budget.take(length);
    const bytes = Buffer.from(this.buf.buffer, this.buf.byteOffset + this.pos, length);
    this.pos = end;
    return bytes;
  }

  /** Numbers of a histogram, packed or not: of too many, one more than is kept. */
  #numbers(known: number[] = [], read: (reader: this) => unknown): number[] {
    const isPacked = this.type === PACKED;
    const end = isPacked ? this.#endOfField() : this.pos + 1;
    while (this.pos < end && (!isPacked || known.length <= MAX_BUCKETS)) {
      const value = read(this) as number;
      if (known.length <= MAX_BUCKETS) known.push(value);
    }
    this.pos = Math.max(this.pos, end);
    return known;
  }

  /** Position after the present field, of which the length comes next. */
  #endOfField(): number {
    const end = this.readVarint() + this.pos;
    if (!(end <= this.length)) throw new MalformedBodyError('A field is longer than the body.');
    return end;
  }
}

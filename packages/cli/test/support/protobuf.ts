/** A writer of protobuf, independent of the code under test: it writes what no serialiser of an SDK would. */

export function varint(value: number | bigint): Buffer {
  const bytes: number[] = [];
  let left = BigInt.asUintN(64, BigInt(value));
  do {
    bytes.push(Number(left & 127n) | (left > 127n ? 128 : 0));
    left >>= 7n;
  } while (left > 0n);
  return Buffer.from(bytes);
}

/** A length-delimited field: a text, bytes, or a message of the parts. */
export function field(number: number, ...parts: readonly (Buffer | string)[]): Buffer {
  const content = Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part) : part)));
  return Buffer.concat([varint((number << 3) | 2), varint(content.length), content]);
}

export function integerField(number: number, value: number | bigint): Buffer {
  return Buffer.concat([varint(number << 3), varint(value)]);
}

export function fixed64Field(number: number, value: bigint): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(BigInt.asUintN(64, value));
  return Buffer.concat([varint((number << 3) | 1), bytes]);
}

export function doubleField(number: number, value: number): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeDoubleLE(value);
  return Buffer.concat([varint((number << 3) | 1), bytes]);
}

/** `KeyValue` as field `number`. */
export function attribute(number: number, key: string, value: string | number): Buffer {
  const any =
    typeof value === 'string'
      ? field(1, value)
      : Number.isSafeInteger(value)
        ? integerField(3, value)
        : doubleField(4, value);
  return field(number, field(1, key), field(2, any));
}

export type AttributeValue = string | number | boolean | readonly string[];

interface OtlpAnyValue {
  stringValue?: string;
  intValue?: string | number;
  doubleValue?: number;
  boolValue?: boolean;
  arrayValue?: { values?: OtlpAnyValue[] };
}

export interface OtlpKeyValue {
  key: string;
  value: OtlpAnyValue;
}

export function attributesOf(list: readonly OtlpKeyValue[] = []): Record<string, AttributeValue> {
  return Object.fromEntries(list.map(({ key, value }) => [key, plain(value)]));
}

export function keyValues(attributes: Readonly<Record<string, AttributeValue>>): OtlpKeyValue[] {
  return Object.entries(attributes).map(([key, value]) => ({ key, value: wrapped(value) }));
}

function plain(value: OtlpAnyValue): AttributeValue {
  if (value.arrayValue !== undefined) return (value.arrayValue.values ?? []).map((item) => String(plain(item)));
  if (value.intValue !== undefined) return Number(value.intValue);
  return value.stringValue ?? value.doubleValue ?? value.boolValue ?? '';
}

function wrapped(value: AttributeValue): OtlpAnyValue {
  if (typeof value === 'string') return { stringValue: value };
  if (typeof value === 'boolean') return { boolValue: value };
  if (typeof value !== 'number') return { arrayValue: { values: value.map((item) => ({ stringValue: item })) } };
  return Number.isInteger(value) ? { intValue: String(value) } : { doubleValue: value };
}

import { readFileSync } from 'node:fs';
import path from 'node:path';

import { describe, expect, test } from '@jest/globals';

import type { AttributeGroup, Group } from '../src/format.ts';
import { conventions } from '../src/index.ts';
import { groupsIn, readGroups, readManifest } from '../src/read-registry.ts';
import { resolve } from '../src/resolve.ts';

const root = path.resolve(import.meta.dirname, '../..');

function group(attribute: object): AttributeGroup {
  const attributes = [attribute] as unknown as AttributeGroup['attributes'];
  return { id: 'registry.test', type: 'attribute_group', brief: 'A test.', attributes };
}

function readJson(file: string): unknown {
  return JSON.parse(readFileSync(path.join(root, file), 'utf8'));
}

describe("the schema, which is stricter than Weaver's,", () => {
  const attribute = { id: 'event_loop.a', type: 'int', stability: 'development', brief: 'One.', examples: [1] };

  test('admits an attribute with all that the docs need', () => {
    expect(groupsIn({ groups: [group(attribute)] }, 'test.yaml')).toHaveLength(1);
  });

  test.each([
    ['a key that Weaver does not know', { ...attribute, breif: 'One.' }],
    ['a brief that is no sentence', { ...attribute, brief: 'one' }],
    ['a number without an example', { ...attribute, examples: undefined }],
    ['a name with an upper case letter', { ...attribute, id: 'event_loop.A' }],
    ['a stability that Weaver does not know', { ...attribute, stability: 'experimental' }],
    ['a reference without a requirement level', { ref: 'thread.id' }],
  ])('refuses %s', (_, refused) => {
    const content = JSON.parse(JSON.stringify({ groups: [group(refused)] })) as unknown;
    expect(() => groupsIn(content, 'test.yaml')).toThrow('Expected test.yaml to match');
  });
});

describe('the registry', () => {
  const groups = readGroups();
  const isReference = (entry: object): boolean => 'ref' in entry;

  test('defines attributes only in groups named registry.*, and refers to them elsewhere, as Weaver demands', () => {
    for (const { id, attributes = [] } of groups) {
      expect([id, attributes.some(isReference)]).toEqual([id, !id.startsWith('registry.') && attributes.length > 0]);
    }
  });

  test('refers only to attributes that it defines or that @opentelemetry/semantic-conventions has', () => {
    const unknown: Group = group({ ref: 'code.colour', requirement_level: 'required', brief: 'A colour.' });
    expect(() => resolve([...groups, unknown])).toThrow('Expected code.colour in this registry or in OpenTelemetry');
    expect(conventions.attributes.filter(({ isOpenTelemetrys }) => isOpenTelemetrys).map(({ name }) => name)).toEqual([
      'code.column.number',
      'code.file.path',
      'code.function.name',
      'code.line.number',
      'code.stacktrace',
      'service.instance.id',
      'service.name',
      'service.version',
      'thread.id',
      'thread.name',
    ]);
  });

  test("depends on the version of OpenTelemetry's conventions that is installed", () => {
    const { version } = readJson('semconv/node_modules/@opentelemetry/semantic-conventions/package.json') as {
      version: string;
    };
    const [dependency] = readManifest().dependencies;
    expect(dependency?.schema_url).toBe(`https://opentelemetry.io/schemas/${version}`);
    expect(dependency?.registry_path).toContain(`/v${version}.zip`);
  });

  test('has the prefix event_loop. or libuv. in every name that OpenTelemetry or its collector has not made', () => {
    const names = [
      ...conventions.attributes.filter(({ isOpenTelemetrys }) => !isOpenTelemetrys),
      ...conventions.metrics,
    ];
    expect(names.map(({ name }) => name).filter((name) => !/^(event_loop|libuv)\./.test(name))).toEqual([
      'span.name',
      'collector.instance.id',
    ]);
  });

  test('has each attribute once and each metric once', () => {
    for (const all of [conventions.attributes, conventions.metrics]) {
      const names = all.map(({ name }) => name);
      expect(names).toEqual([...new Set(names)]);
    }
  });

  test('has no metric that is the namespace of another metric', () => {
    const names = conventions.metrics.map(({ name }) => name);
    expect(names.filter((name) => names.some((other) => other.startsWith(`${name}.`)))).toEqual([]);
  });

  test('defines no attribute that no span and no metric has', () => {
    const { spans, metrics, victimAttributes, attributes } = conventions;
    const used = new Set(
      [...spans, ...metrics, { attributes: victimAttributes }].flatMap((each) =>
        each.attributes.map(({ name }) => name),
      ),
    );
    expect(attributes.map(({ name }) => name).filter((name) => !used.has(name))).toEqual([]);
  });

  test('has examples of the type of their attribute', () => {
    const typeOf = (example: unknown): string =>
      Array.isArray(example) ? `${typeof example[0]}[]` : typeof example === 'number' ? 'number' : typeof example;
    const types: Record<string, string> = { int: 'number', double: 'number' };
    for (const { name, type, examples } of conventions.attributes) {
      expect([name, ...examples.map(typeOf)]).toEqual([name, ...examples.map(() => types[type] ?? type)]);
    }
  });

  test.each([
    ['event_loop.blocked.cause', 'cause'],
    ['event_loop.blocked.stack_quality', 'stackQuality'],
  ])("has the values of %s that the CLI's recordings have", (name, property) => {
    const schema = JSON.stringify(readJson('packages/cli/schema/recording.schema.json'));
    const values = new RegExp(`"${property}":\\{[^}]*"enum":(\\[[^\\]]*\\])`).exec(schema)?.[1] ?? '[]';
    const members = conventions.attributes.find((attribute) => attribute.name === name)?.members ?? [];
    expect(members.length).toBeGreaterThan(0);
    expect((JSON.parse(values) as string[]).sort()).toEqual(members.map(({ value }) => value).sort());
  });
});

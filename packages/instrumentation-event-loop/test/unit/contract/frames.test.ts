import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { functionKey, isAnonymous, isOwn, kindOf, kindsOf, standsAtEntry } from '../../../src/contract/frames.js';
import { builtinFrame, frame } from '../support/builders.js';

describe('the kind of a frame', () => {
  test.each([
    ['/srv/app/src/logs.js', 'application'],
    ['file:///srv/app/src/logs.mjs', 'application'],
    ['C:\\app\\src\\logs.js', 'application'],
    ['/srv/app/my_node_modules/logs.js', 'application'],
    ['/srv/app/node_modules.js', 'application'],
    ['webpack://shop/./src/logs.ts', 'application'],
    ['evalmachine.<anonymous>', 'application'],
    ['/srv/app/node_modules/zod/index.js', 'dependency'],
    ['file:///srv/app/node_modules/zod/index.mjs', 'dependency'],
    ['C:\\app\\node_modules\\zod\\index.js', 'dependency'],
    ['/srv/.pnpm/zod@4/node_modules/zod/index.js', 'dependency'],
    ['/srv/app/node_modules/@opentelemetry/sdk-trace-base/build/src/Tracer.js', 'telemetry'],
    ['/srv/app/node_modules/@opentelemetry/instrumentation-http/build/src/http.js', 'telemetry'],
    ['file:///srv/app/node_modules/@opentelemetry/api/build/esm/index.js', 'telemetry'],
    ['C:\\app\\node_modules\\@opentelemetry\\api\\build\\src\\index.js', 'telemetry'],
    ['/srv/node_modules/.pnpm/@opentelemetry+api@1.9.0/node_modules/@opentelemetry/api/index.js', 'telemetry'],
    ['/srv/.yarn/cache/@opentelemetry-api-npm-1.9.0.zip/node_modules/@opentelemetry/api/index.js', 'telemetry'],
    ['/srv/app/node_modules/opentelemetry-instrumentation-express/dist/index.js', 'telemetry'],
    ['/srv/app/node_modules/@fastify/otel/index.js', 'telemetry'],
    ['/srv/app/node_modules/@prisma/instrumentation/dist/index.js', 'telemetry'],
    ['/srv/app/node_modules/@loopwatch/instrumentation-event-loop/dist/index.cjs', 'telemetry'],
    ['loopwatch:deferred', 'telemetry'],
    ['/srv/app/node_modules/loopwatch/dist/preload.cjs', 'telemetry'],
    ['/srv/app/node_modules/require-in-the-middle/index.js', 'loader-hook'],
    ['/srv/app/node_modules/import-in-the-middle/hook.js', 'loader-hook'],
    ['C:\\app\\node_modules\\shimmer\\index.js', 'loader-hook'],
    // The last package of the path decides.
    ['/srv/app/node_modules/@opentelemetry/sdk-node/node_modules/lodash/index.js', 'dependency'],
    // A developer of such a package, and names that only contain such a word.
    ['/home/dev/opentelemetry-js/packages/opentelemetry-core/src/index.js', 'application'],
    ['/home/dev/@opentelemetry/instrumentation-http/src/http.js', 'application'],
    ['/home/dev/require-in-the-middle/index.js', 'application'],
    ['/srv/@loopwatch/app.js', 'application'],
    ['/srv/loopwatch/dist/preload.cjs', 'application'],
    ['/srv/app/node_modules/hotelier/index.js', 'dependency'],
    ['/srv/app/node_modules/loopwatch-reporter/index.js', 'dependency'],
    ['/srv/app/node_modules/pirates/require-in-the-middle/index.js', 'dependency'],
    ['node:internal/timers', 'internal'],
    ['node:events', 'internal'],
    ['', 'builtin'],
    ['<anonymous>', 'builtin'],
    ['wasm://wasm/8f2a', 'builtin'],
  ])('in %j is %s', (fileName, kind) => {
    expect(kindOf(frame('f', { fileName }))).toBe(kind);
  });
});

describe('the kinds of the frames of a stack', () => {
  const inPackage = (name: string): ReturnType<typeof frame> =>
    frame('f', { fileName: `/srv/node_modules/${name}/index.js` });
  const telemetry = inPackage('@opentelemetry/otlp-transformer');
  const serialiser = inPackage('protobufjs');
  const internal = frame('emit', { fileName: 'node:events' });

  test('a package that telemetry calls for its own work is its helper', () => {
    expect(kindsOf([serialiser, serialiser, internal, telemetry])).toEqual([
      'helper',
      'helper',
      'internal',
      'telemetry',
    ]);
  });

  test('the same package is a dependency where other code calls it', () => {
    expect(kindsOf([serialiser, inPackage('grpc-service'), telemetry])).toEqual([
      'dependency',
      'dependency',
      'telemetry',
    ]);
    expect(kindsOf([serialiser, frame('handler'), telemetry])).toEqual(['dependency', 'application', 'telemetry']);
  });

  test('a handler that an instrumentation has wrapped belongs to its own package', () => {
    expect(kindsOf([inPackage('express'), telemetry])).toEqual(['dependency', 'telemetry']);
  });

  test('a package that a loader hook calls is never named either', () => {
    expect(kindsOf([inPackage('resolve'), inPackage('require-in-the-middle')])).toEqual(['helper', 'loader-hook']);
  });
});

describe('a frame of this package', () => {
  test('is known by its package, or by a mark where the path does not show it', () => {
    expect(isOwn(frame('f', { fileName: '/srv/node_modules/@loopwatch/instrumentation-event-loop/dist/a.cjs' }))).toBe(
      true,
    );
    expect(isOwn(frame('f', { isOwn: true }))).toBe(true);
    expect(kindOf(frame('f', { isOwn: true }))).toBe('telemetry');
    expect(isOwn(frame('f'))).toBe(false);
  });
});

describe('a function named', () => {
  test.each(['', '<anonymous>', 'Object.<anonymous>', 'new <anonymous>', 'Server.<anonymous>'])(
    '%j is anonymous',
    (name) => {
      expect(isAnonymous(frame(name))).toBe(true);
    },
  );

  test.each(['createSpans', 'Layer.handle', 'anonymous', '<static_initializer>', 'my<anonymous>', 'get <x>'])(
    '%j is not anonymous',
    (name) => {
      expect(isAnonymous(frame(name))).toBe(false);
    },
  );
});

describe('the key of a function', () => {
  test('is the same for every position in the function', () => {
    expect(functionKey(frame('f', { lineNumber: 10 }))).toBe(
      functionKey(frame('f', { lineNumber: 99, columnNumber: 3 })),
    );
  });

  test.each([
    ['another file', { fileName: '/srv/app/other.js' }],
    ['another position', { functionLineNumber: 6 }],
    ['another function in the same line', { functionColumnNumber: 40 }],
    ['another name', { functionName: 'g' }],
  ])('differs for %s', (_, overrides) => {
    expect(functionKey(frame('f', overrides))).not.toBe(functionKey(frame('f')));
  });
});

describe('the entry of a function', () => {
  test('a frame whose function is not known is not at the entry', () => {
    expect(standsAtEntry(builtinFrame('JSON.parse'))).toBe(false);
    expect(standsAtEntry(frame('f', { functionLineNumber: 0, functionColumnNumber: 0 }))).toBe(false);
  });

  test('a frame in another line than the first of its function is not at the entry', () => {
    fc.assert(
      fc.property(fc.nat(1000), fc.integer({ min: 1, max: 1000 }), fc.nat(200), (line, below, column) => {
        const at = { functionLineNumber: line + 1, lineNumber: line + 1 + below, columnNumber: column };
        expect(standsAtEntry(frame('work', { ...at, functionColumnNumber: column }))).toBe(false);
      }),
    );
  });

  test('an anonymous arrow function is at its entry only where it begins', () => {
    const arrow = { lineNumber: 5, functionLineNumber: 5, functionColumnNumber: 20 };
    const offsets = ['', '(', 'a=>{', '(a)=>{', 'a => {'].map(({ length }) => length);
    const isAtEntry = (offset: number): boolean => standsAtEntry(frame('', { ...arrow, columnNumber: 20 + offset }));
    expect(offsets.map(isAtEntry)).toEqual([true, false, false, false, false]);
  });

  test('a frame before the start of its function is not at the entry', () => {
    expect(standsAtEntry(frame('work', { lineNumber: 5, columnNumber: 3, functionColumnNumber: 20 }))).toBe(false);
  });

  test('a frame far behind the header of its function is not at the entry', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 20 }), fc.integer({ min: 60, max: 5000 }), (name, offset) => {
        expect(standsAtEntry(frame(name, { lineNumber: 5, functionColumnNumber: 1, columnNumber: 1 + offset }))).toBe(
          false,
        );
      }),
    );
  });

  test('a frame with any function name is either at the entry or not', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.nat(), fc.nat(), (name, column, functionColumn) => {
        const odd = frame(name, { lineNumber: 5, columnNumber: column, functionColumnNumber: functionColumn });
        expect(typeof standsAtEntry(odd)).toBe('boolean');
      }),
    );
  });
});

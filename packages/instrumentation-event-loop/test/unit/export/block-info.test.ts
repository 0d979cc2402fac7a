import { ROOT_CONTEXT } from '@opentelemetry/api';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { blockAttributes } from '../../../src/export/block-attributes.js';
import { blockInfo, formatStack } from '../../../src/export/block-info.js';
import { codeLocation } from '../../../src/export/code-location.js';
import * as semconv from '../../../src/semconv.js';
import { attribution, block, builtinFrame, frame, NO_TIMES, ranIn } from '../support/builders.js';
import { contextOf, spanContext } from '../support/tracing.js';

// eslint-disable-next-line no-control-regex -- the tests look for control characters
const CONTROL = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/;

describe('the block info', () => {
  test('has all that is known of the block', () => {
    const context = contextOf(spanContext(1));
    const info = blockInfo(
      block({
        attribution: attribution({ ...ranIn([[context, 200]]), pending: ['Timeout×1'], lines: '10 150\n12 50' }),
      }),
      true,
      3,
    );
    expect(info).toEqual({
      startTime: 1000,
      endTime: 1200,
      durationMs: 200,
      because: 'javascript 100 % of 200 ms',
      cause: 'javascript',
      cpuTimeMs: 190,
      gcTimeMs: 12,
      runQueueTimeMs: 4,
      culprit: { functionName: 'createSpans', filePath: '/srv/app/logs.js', lineNumber: 10, columnNumber: 7 },
      stackTrace: '    at createSpans (/srv/app/logs.js:10:7)\n    at handle (/srv/app/logs.js:40:7)',
      stackQuality: 'live',
      sampleCount: 4,
      profile: 'handle;createSpans 200',
      lines: '10 150\n12 50',
      asyncResource: 'HTTPINCOMINGMESSAGE',
      pending: ['Timeout×1'],
      suppressedCount: 3,
      threadId: 0,
      threadName: 'main',
      context,
    });
  });

  test('leaves out what is unknown', () => {
    const unknown = attribution({
      cause: 'unknown',
      because: 'asleep 90 % of 200 ms',
      quality: 'none',
      culprit: undefined,
      stack: [],
      profile: '',
      sampleCount: 0,
      asyncResource: '',
    });
    expect(blockInfo(block({ times: NO_TIMES, attribution: unknown }), true, 0)).toEqual({
      startTime: 1000,
      endTime: 1200,
      durationMs: 200,
      cause: 'unknown',
      because: 'asleep 90 % of 200 ms',
      stackQuality: 'none',
      sampleCount: 0,
      suppressedCount: 0,
      threadId: 0,
      threadName: 'main',
      context: ROOT_CONTEXT,
    });
  });

  test('has a measured time of 0 as 0', () => {
    const info = blockInfo(block({ times: { cpuMs: 0, gcMs: 0, runQueueMs: 0 } }), true, 0);
    expect(info).toMatchObject({ cpuTimeMs: 0, gcTimeMs: 0, runQueueTimeMs: 0 });
  });

  test('is frozen', () => {
    expect(Object.isFrozen(blockInfo(block(), true, 0))).toBe(true);
  });
});

describe('without captureStacks', () => {
  test('the block info and the attributes contain nothing of the code', () => {
    const secret = frame('chargeCreditCard', { fileName: '/srv/secret/payments.js' });
    const info = blockInfo(
      block({
        attribution: attribution({
          culprit: secret,
          stack: [secret],
          profile: 'chargeCreditCard 200',
          lines: '3 150\n4 50',
        }),
      }),
      false,
      0,
    );
    const everything = JSON.stringify({ ...info, context: undefined }) + JSON.stringify(blockAttributes(info));
    expect(everything).not.toMatch(/chargeCreditCard|secret|payments/);
    expect(info).not.toHaveProperty('culprit');
    expect(info).not.toHaveProperty('stackTrace');
    expect(info).not.toHaveProperty('profile');
    expect(info).not.toHaveProperty('lines');
  });

  test('the block info keeps cause, times and resource', () => {
    expect(blockInfo(block(), false, 0)).toMatchObject({
      cause: 'javascript',
      cpuTimeMs: 190,
      asyncResource: 'HTTPINCOMINGMESSAGE',
      stackQuality: 'live',
      sampleCount: 4,
    });
  });
});

describe('text that comes from the application', () => {
  const nasty = 'a\u001b[31mred\u0000\n\r\u2028\u009b';

  test('has no control character in a name, a path, a stack, a resource or a thread name', () => {
    const evil = frame(nasty, { fileName: `/srv/${nasty}.js` });
    const info = blockInfo(
      block({ threadName: nasty, attribution: attribution({ culprit: evil, stack: [evil], asyncResource: nasty }) }),
      true,
      0,
    );
    expect(info.culprit?.functionName).not.toMatch(CONTROL);
    expect(info.culprit?.filePath).not.toMatch(CONTROL);
    expect(info.stackTrace).not.toMatch(CONTROL);
    expect(info.asyncResource).not.toMatch(CONTROL);
    expect(info.threadName).not.toMatch(CONTROL);
  });

  test.each([
    ['half of a surrogate pair', 'a\ud83d', 'a\uFFFD'],
    ['a name cut within a surrogate pair', `${'x'.repeat(510)}\u{1f600}${'x'.repeat(9)}`, `${'x'.repeat(510)}\uFFFD…`],
    ['a change of the text direction', 'user\u202Efdp.exe\u2066', 'user\uFFFDfdp.exe\uFFFD'],
    ['a whole pair', 'a\u{1f600}', 'a\u{1f600}'],
  ])('is well-formed: %s', (_, functionName, expected) => {
    expect(codeLocation(frame(functionName)).functionName).toBe(expected);
  });

  test('keeps line breaks in a profile, and no other control character', () => {
    const info = blockInfo(block({ attribution: attribution({ profile: 'a;b\u001b[2J 5\nc 3' }) }), true, 0);
    expect(info.profile).toBe('a;b\uFFFD[2J 5\nc 3');
  });

  test('is cut where a name or path is too long', () => {
    const long = codeLocation(frame('f'.repeat(5000), { fileName: `/${'d'.repeat(5000)}` }));
    expect(long.functionName).toHaveLength(512);
    expect(long.functionName.endsWith('…')).toBe(true);
    expect(long.filePath).toHaveLength(512);
  });

  test('is not cut where a name has just the longest length', () => {
    expect(codeLocation(frame('f'.repeat(512))).functionName).toBe('f'.repeat(512));
  });

  test('has the name that V8 prints for a function without a name', () => {
    expect(codeLocation(frame('')).functionName).toBe('<anonymous>');
  });

  test('any names give attributes without control characters but the line breaks of stack and profile', () => {
    const name = fc.string({ unit: 'binary', maxLength: 40 });
    fc.assert(
      fc.property(name, name, name, (functionName, fileName, threadName) => {
        const odd = frame(functionName, { fileName });
        const attributes = blockAttributes(
          blockInfo(
            block({
              threadName,
              attribution: attribution({ culprit: odd, stack: [odd, odd], profile: `${functionName} 1` }),
            }),
            true,
            0,
          ),
        );
        const texts = Object.values(attributes).filter((value) => typeof value === 'string');
        expect(texts.join('').replaceAll('\n', '')).not.toMatch(CONTROL);
        expect(String(attributes[semconv.ATTR_CODE_STACKTRACE]).split('\n')).toHaveLength(2);
      }),
    );
  });
});

describe('a stack', () => {
  test('is printed as V8 prints it', () => {
    const stack = [
      builtinFrame('Array.find'),
      frame('createSpans'),
      frame('', { fileName: 'file:///srv/app/server.mjs', lineNumber: 3, columnNumber: 1 }),
      frame('handle', { isAsync: true }),
    ];
    expect(formatStack(stack).split('\n')).toEqual([
      '    at Array.find (<anonymous>)',
      '    at createSpans (/srv/app/logs.js:10:7)',
      '    at file:///srv/app/server.mjs:3:1',
      '    at async handle (/srv/app/logs.js:10:7)',
    ]);
  });

  test('of no frames is empty', () => {
    expect(formatStack([])).toBe('');
  });

  test('that is too long is cut at the bottom, between two lines', () => {
    const text = formatStack(Array.from({ length: 1000 }, (_, i) => frame(`function${i}`)));
    expect(text.length).toBeLessThanOrEqual(16_384);
    expect(text.startsWith('    at function0 (')).toBe(true);
    expect(text.endsWith(')')).toBe(true);
  });
});

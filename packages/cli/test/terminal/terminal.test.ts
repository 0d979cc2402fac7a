import { stripVTControlCharacters } from 'node:util';

import { describe, expect, test } from '@jest/globals';
import pc from 'picocolors';

import type { Block } from '../../src/model/types.js';
import { blockLine } from '../../src/cli/terminal/block-line.js';
import { colorsFor } from '../../src/cli/terminal/colors.js';
import { createLiveView } from '../../src/cli/terminal/live-view.js';
import { summaryLines } from '../../src/cli/terminal/summary.js';
import { makeBlock, makeLag } from '../support/records.js';

const style = (columns = Infinity, colored = false) => ({
  colors: pc.createColors(colored),
  columns,
  directory: '/app',
});
/** Clocks depend on the time zone of the machine. */
const withoutClock = (line: string): string => line.replace(/^\d\d:\d\d:\d\d\.\d{3}/, 'CLOCK');

describe('the line of a block', () => {
  test('contains time, duration, cause, culprit and request', () => {
    const line = blockLine(makeBlock({ durationMs: 1_240, request: 'GET /traces/:id' }), undefined, style());
    expect(withoutClock(line)).toBe('CLOCK   1.24 s  javascript   slow src/slow.js:3  in GET /traces/:id');
  });

  test('contains the async resource if there is no request', () => {
    expect(blockLine(makeBlock({ asyncResource: 'Timeout' }), undefined, style())).toMatch(/ {2}in Timeout$/);
  });

  test('contains thread, source, victims, pending resources, suppressed blocks and a missing end', () => {
    const block = makeBlock({
      threadName: 'pool',
      victimCount: 3,
      pending: ['Socket×1'],
      suppressedCount: 2,
      ended: false,
      asyncResource: 'Worker',
    });
    const line = blockLine(block, 'api', style());
    expect(line).toContain('  in Worker  thread pool  api  3 waited  pending Socket×1  +2 not reported  still blocked');
  });

  test('states that there is no stack', () => {
    const { culprit: _culprit, ...nameless } = makeBlock();
    expect(blockLine(nameless, undefined, style())).toContain('no stack');
  });

  test.each([20, 40, 60, 80, 120])('is no wider than %d columns, coloured or not', (columns) => {
    const block = makeBlock({ request: 'GET /a/very/long/path/that/does/not/fit/into/any/terminal/of/this/world' });
    for (const colored of [false, true]) {
      expect(stripVTControlCharacters(blockLine(block, undefined, style(columns, colored))).length).toBeLessThanOrEqual(
        columns,
      );
    }
  });

  test('contains no control character of a name', () => {
    const culprit = { functionName: '\u001b[2Jevil\r\n\u009b', filePath: '/a.js', lineNumber: 1, columnNumber: 1 };
    const line = blockLine(makeBlock({ culprit }), undefined, style());
    expect(line).not.toMatch(/\p{Cc}/u);
  });
});

describe('the summary', () => {
  test('ranks the culprits with count, total, longest and share, and shows the lag', () => {
    const blocks = [makeBlock(), makeBlock({ id: 'b2', durationMs: 600, suppressedCount: 1 })];
    expect(summaryLines({ blocks, lag: [makeLag({ maxMs: 600 })], elapsedMs: 8_000 }, style())).toEqual([
      '2 blocks by 1 culprit in 8.00 s',
      '  count      total   longest   share  culprit',
      '      3     800 ms    600 ms    10 %  slow src/slow.js:3',
      'Lag p50 556 µs, p90 1.0 ms, p99 100 ms, max 600 ms',
    ]);
  });

  test('states that nothing blocked', () => {
    expect(summaryLines({ blocks: [], lag: [], elapsedMs: 2_000 }, style())).toEqual(['No block in 2.00 s.']);
  });

  test('counts the culprits that do not fit', () => {
    const blocks = Array.from({ length: 20 }, (_, index) =>
      makeBlock({ culprit: { functionName: `f${index}`, filePath: '/a.js', lineNumber: 1, columnNumber: 1 } }),
    );
    expect(summaryLines({ blocks, lag: [], elapsedMs: 1 }, style()).at(-1)).toBe('  and 5 more culprits');
  });

  test('fits a narrow terminal', () => {
    const lines = summaryLines({ blocks: [makeBlock()], lag: [makeLag()], elapsedMs: 1_000 }, style(50));
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(50);
  });
});

describe('the live view', () => {
  function createTestView(awaitsRequest: (block: Block) => boolean = () => false) {
    const lines: string[] = [];
    let nowMs = 0;
    const view = createLiveView({
      write: (line) => lines.push(line),
      style: () => style(),
      sourceOf: () => undefined,
      awaitsRequest,
      now: () => nowMs,
    });
    return {
      view,
      lines,
      pass: (ms: number) => {
        nowMs += ms;
        view.flush();
      },
    };
  }

  test('prints a block once, also after updates', () => {
    const { view, lines } = createTestView();
    view.onBlocks([makeBlock()]);
    view.onBlocks([makeBlock({ victimCount: 4 })]);
    expect(lines).toHaveLength(1);
  });

  test('waits for the name of the request, and prints without it after a while', () => {
    const { view, lines, pass } = createTestView(({ request }) => request === undefined);
    view.onBlocks([makeBlock({ id: 'named' }), makeBlock({ id: 'nameless' })]);
    pass(500);
    view.onBlocks([makeBlock({ id: 'named', request: 'GET /late' })]);
    expect(lines).toEqual([expect.stringContaining('in GET /late')]);
    pass(5_000);
    expect(lines).toHaveLength(2);
  });

  test('prints each report of a hang and then its end', () => {
    const { view, lines } = createTestView(() => true);
    view.onBlocks([makeBlock({ ended: false, durationMs: 5_000 })]);
    view.onBlocks([makeBlock({ ended: false, durationMs: 10_000 })]);
    view.onBlocks([makeBlock({ ended: true, durationMs: 11_000, request: 'GET /' })]);
    expect(lines.map((line) => line.includes('still blocked'))).toEqual([true, true, false]);
  });

  test('prints waiting blocks before the summary', () => {
    const { view, lines } = createTestView(() => true);
    view.onBlocks([makeBlock()]);
    view.summary({ blocks: [makeBlock()], lag: [], elapsedMs: 1_000 });
    expect(lines[0]).toContain('slow src/slow.js:3');
    expect(lines[1]).toBe('1 block by 1 culprit in 1.00 s');
  });
});

describe('colours', () => {
  test.each([
    ['on a terminal', { isTTY: true }, true, {}, true],
    ['not without a terminal', {}, true, {}, false],
    ['not with NO_COLOR', { isTTY: true }, true, { NO_COLOR: '1' }, false],
    ['not with --no-color', { isTTY: true }, false, {}, false],
    ['not on a dumb terminal', { isTTY: true }, true, { TERM: 'dumb' }, false],
    ['when forced', {}, true, { FORCE_COLOR: '1' }, true],
    ['not with both NO_COLOR and FORCE_COLOR', {}, true, { FORCE_COLOR: '1', NO_COLOR: '1' }, false],
  ])('are there %s', (_when, stream, wanted, env, expected) => {
    expect(colorsFor(stream, wanted, env).isColorSupported).toBe(expected);
  });
});

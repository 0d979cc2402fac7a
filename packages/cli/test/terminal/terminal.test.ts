import { stripVTControlCharacters } from 'node:util';

import { describe, expect, test } from '@jest/globals';
import pc from 'picocolors';

import { blockLines } from '../../src/cli/terminal/block-line.js';
import { printableJson } from '../../src/cli/terminal/line.js';
import { colorsFor } from '../../src/cli/terminal/colors.js';
import { createLiveView } from '../../src/cli/terminal/live-view.js';
import { styleFor } from '../../src/cli/terminal/stream-style.js';
import { summaryLines } from '../../src/cli/terminal/summary.js';
import { nothingWatchedSentence } from '../../src/model/report/remarks.js';
import { formatMs } from '../../src/model/text/format.js';
import { textWidth } from '../../src/model/text/text-width.js';
import type { Block } from '../../src/model/types.js';
import { makeBlock, makeLag } from '../support/records.js';

const style = (columns = Infinity, colored = false) => ({
  colors: pc.createColors(colored),
  columns,
  directory: '/app',
});
/** The block in a terminal that is wide enough for one line. */
const blockLine = (block: Block, source?: string): string => blockLines(block, source, style()).join('\n');
/** Clocks depend on the time zone of the machine. */
const withoutClock = (line: string): string => line.replace(/^\d\d:\d\d:\d\d\.\d{3}/, 'CLOCK');

describe('the line of a block', () => {
  test('contains time, duration, cause, culprit and request', () => {
    const line = blockLine(makeBlock({ durationMs: 1_240, request: 'GET /traces/:id' }));
    expect(withoutClock(line)).toBe('CLOCK   1.24 s  javascript   slow src/slow.js:3  in GET /traces/:id');
  });

  test('contains no type of an async resource in the place of a request', () => {
    expect(blockLine(makeBlock({ asyncResource: 'Timeout' }))).toBe(blockLine(makeBlock()));
  });

  test('contains thread, source, victims, pending resources, suppressed blocks and a missing end', () => {
    const block = makeBlock({
      threadName: 'pool',
      victimCount: 3,
      pending: ['Socket×1'],
      childProcesses: ['pandoc (4711)'],
      suppressedCount: 2,
      ended: false,
      request: 'GET /a',
    });
    const line = blockLine(block, 'api');
    expect(line).toContain(
      '  in GET /a  thread pool  api  3 spans waited  pending Socket×1  waits for pandoc (4711)  +2 not reported  still blocked',
    );
  });

  test.each([99_990, 115_000, 6_013_000, 360_000_000])(
    'has a space on both sides of a duration of %d ms',
    (durationMs) => {
      expect(withoutClock(blockLine(makeBlock({ durationMs })))).toContain(
        `CLOCK ${formatMs(durationMs).padStart(8)}  `,
      );
    },
  );

  test('states that there is no stack', () => {
    const { culprit: _culprit, ...nameless } = makeBlock();
    expect(blockLine(nameless)).toContain('no stack');
  });

  test.each([
    ['the stretch by a busy host', { runQueueMs: 120 }, 'slow src/slow.js:3  stretched 2.5× by waiting for CPU'],
    [
      'the share of waiting for CPU',
      { cause: 'cpu_starved', runQueueMs: 150 } as const,
      '  75 % of it waiting for CPU',
    ],
    ['the mark of a guess', { stackQuality: 'post_native' } as const, '  ≈ slow src/slow.js:3'],
    [
      'who waited',
      { victimCount: 125, victimSummary: { nameKind: 'route', nameCount: 5, longestMs: 10_400 } } as const,
      '  125 requests of 5 routes waited, up to 10.40 s',
    ],
  ])('contains %s', (_what, fields, text) => {
    expect(blockLine(makeBlock(fields))).toContain(text);
  });

  const long = makeBlock({
    culprit: {
      functionName: 'createSpans',
      filePath: '/app/src/runs/views/trace-view.js',
      lineNumber: 41,
      columnNumber: 1,
    },
    request: 'GET /a/very/long/path/that/does/not/fit/into/any/terminal/of/this/world',
    runQueueMs: 150,
  });

  test('puts the details on a second line if they do not fit, and keeps the place', () => {
    expect(blockLines(long, undefined, style(80)).map(withoutClock)).toEqual([
      'CLOCK   200 ms  javascript   createSpans src/runs/views/trace-view.js:41',
      '  in GET /a/very/long/path/that/does/not/fit/into/any/terminal/of/this/world',
      '  stretched 4.0× by waiting for CPU',
    ]);
  });

  test('puts the culprit on a line of its own in a narrow terminal', () => {
    expect(blockLines(long, undefined, style(30)).map(withoutClock)).toEqual([
      '200 ms  javascript',
      '  createSpans trace-view.js:41',
      '  in GET /a/very/long/path/th…',
      '  stretched 4.0×',
    ]);
  });

  test.each([20, 30, 40, 60, 80, 120, 200])('is no wider than %d columns, coloured or not', (columns) => {
    for (const colored of [false, true]) {
      for (const line of blockLines(long, undefined, style(columns, colored))) {
        expect(stripVTControlCharacters(line).length).toBeLessThanOrEqual(columns);
      }
    }
  });

  test.each([20, 30, 40, 60, 80, 120, 200])('names culprit, line and column in %d columns', (columns) => {
    const filePath = '/app/.next/server/chunks/ssr/[root-of-the-server]__0f3a91c2._.js';
    const names = ['f', 'createSpans', 'Function.prototype.someVeryLongMethodName [as handler]'];
    for (const functionName of names) {
      const culprit = { functionName, filePath, lineNumber: 1, columnNumber: 23_456 };
      const text = blockLines(makeBlock({ culprit, request: 'GET /' }), undefined, style(columns)).join('\n');
      expect(text).toContain(':1:23456');
      expect(text).toMatch(functionName.length < 12 && columns > 25 ? functionName : /f|cr|Fu/);
    }
  });

  test.each([30, 40, 60, 80, 120])('has names of wide characters in %d columns', (columns) => {
    const culprit = {
      functionName: '在庫を計算する関数🔥\u001b[2J',
      filePath: '/app/ソース/在庫と価格と注文と請求🔥🔥.js',
      lineNumber: 12,
      columnNumber: 1,
    };
    const block = makeBlock({ culprit, request: 'GET /商品/:番号/在庫/価格/注文/請求' });
    const lines = [
      ...blockLines(block, undefined, style(columns)),
      ...summaryLines({ blocks: [block], lag: [], elapsedMs: 1_000 }, style(columns)).slice(0, 3),
    ];
    for (const line of lines) {
      expect(textWidth(line)).toBeLessThanOrEqual(columns);
      expect(line).not.toMatch(/\p{Cs}/u);
    }
    expect(lines.join('\n')).toMatch(/在.*:12/);
  });

  test('contains nothing that reverses the text behind it, and no half of a character', () => {
    const culprit = {
      functionName: 'a\u202eb\u2028\ud83d',
      filePath: '/a\u2066\u200f.js',
      lineNumber: 1,
      columnNumber: 1,
    };
    expect(withoutClock(blockLine(makeBlock({ culprit })))).toContain('a\ufffdb\ufffd\ufffd /a\ufffd\ufffd.js:1');
  });

  test('contains no control character of a name', () => {
    const culprit = { functionName: '\u001b[2Jevil\r\n\u009b', filePath: '/a.js', lineNumber: 1, columnNumber: 1 };
    const line = blockLine(makeBlock({ culprit }));
    expect(line).not.toMatch(/\p{Cc}/u);
  });
});

test('JSON on a terminal has no character that acts on it, and the same value', () => {
  const value = { name: '\u001b[2J\u009b2J\u007f\u202ea\u2028\u2029\u2066\u200e\r\n\\', names: [1, 'é在🙂'] };
  const json = printableJson(value);
  expect(json.replaceAll('\n', '')).not.toMatch(/[\p{C}\p{Zl}\p{Zp}]/u);
  expect(json).toContain('é在🙂');
  expect(JSON.parse(json)).toEqual(value);
});

describe('the summary', () => {
  test('ranks the culprits with count, total, longest and share, shows the lag, and ends with the sentence', () => {
    const blocks = [makeBlock(), makeBlock({ id: 'b2', durationMs: 600, suppressedCount: 1 })];
    expect(summaryLines({ blocks, lag: [makeLag({ maxMs: 600 })], elapsedMs: 8_000 }, style())).toEqual([
      '3 blocks, 1 of them counted only, by 1 culprit in 8.00 s, 800 ms blocked',
      '  count      total   longest   share  culprit',
      '      3     800 ms    600 ms   100 %  slow src/slow.js:3',
      'Lag p50 556 µs, p90 1.0 ms, p99 100 ms, max 600 ms',
      'slow (src/slow.js:3) took 100 % of the blocked time: 3 blocks, 800 ms, longest 600 ms.',
    ]);
  });

  test('separates its columns and aligns them, however long the blocks are', () => {
    const other = { functionName: 'other', filePath: '/app/src/other.js', lineNumber: 9, columnNumber: 1 };
    const blocks = [
      ...[115_000, 6_013_000].map((durationMs) => makeBlock({ id: String(durationMs), durationMs })),
      makeBlock({ id: 'b3', culprit: other, suppressedCount: 1_234_567 }),
    ];
    expect(summaryLines({ blocks, lag: [], elapsedMs: 7_000_000 }, style()).slice(1, 4)).toEqual([
      '    count        total       longest   share  culprit',
      '        2  102 min 8 s  100 min 13 s   100 %  slow src/slow.js:3',
      '  1234568       200 ms        200 ms  <0.1 %  other src/other.js:9',
    ]);
  });

  test('states that nothing blocked', () => {
    expect(summaryLines({ blocks: [], lag: [], elapsedMs: 2_000 }, style())).toEqual(['No block in 2.00 s.']);
  });

  test('does not state it where nothing was watched', () => {
    const nothingWatched = nothingWatchedSentence({ processes: [] });
    const lines = summaryLines({ blocks: [], lag: [], elapsedMs: 2_000, nothingWatched }, style());
    expect(lines.join(' ')).toMatch(/^Nothing was watched: no Node\.js process has reported\. Loopwatch cannot follow/);
  });

  test('ends with what the absence of blocks must not hide', () => {
    const remarks = ['1 Node.js process was not watched: its NODE_OPTIONS was replaced (node b.js).'];
    const lines = summaryLines({ blocks: [], lag: [], elapsedMs: 2_000, remarks }, style());
    expect(lines).toEqual(['No block in 2.00 s.', ...remarks]);
  });

  test('says in how many threads it is, where that may be more than the time of the run', () => {
    const blocks = ['a', 'b', 'c'].map((instance) => makeBlock({ id: instance, instance, durationMs: 1_500 }));
    const [headline] = summaryLines({ blocks, lag: [], elapsedMs: 2_000 }, style());
    expect(headline).toBe('3 blocks by 1 culprit in 2.00 s, 4.50 s blocked in 3 threads');
  });

  test('keeps a number and its unit on one line', () => {
    for (let columns = 30; columns < 80; columns += 1) {
      const lines = summaryLines({ blocks: [makeBlock()], lag: [], elapsedMs: 3_560 }, style(columns));
      for (const line of lines) expect(line).not.toMatch(/^(s|ms|µs|min|%)\b/);
    }
  });

  test('counts the culprits that do not fit', () => {
    const blocks = Array.from({ length: 20 }, (_, index) =>
      makeBlock({ culprit: { functionName: `f${index}`, filePath: '/a.js', lineNumber: 1, columnNumber: 1 } }),
    );
    expect(summaryLines({ blocks, lag: [], elapsedMs: 1 }, style()).at(-2)).toBe('  and 5 more culprits');
  });

  test('has shares of the blocked time: they add up to all of it', () => {
    const other = { functionName: 'other', filePath: '/app/src/other.js', lineNumber: 9, columnNumber: 1 };
    const blocks = [makeBlock({ durationMs: 300 }), makeBlock({ id: 'b2', culprit: other, durationMs: 100 })];
    const lines = summaryLines({ blocks, lag: [], elapsedMs: 60_000 }, style());
    expect(lines.slice(2, 4).map((line) => /(\d+ %)/.exec(line)?.[0])).toEqual(['75 %', '25 %']);
  });

  test('shows the stretch, marks a guess and explains the mark, and has the hints before the sentence', () => {
    const blocks = [makeBlock({ runQueueMs: 120, stackQuality: 'post_native' })];
    expect(summaryLines({ blocks, lag: [], elapsedMs: 8_000, hints: ['A hint.'] }, style()).slice(2)).toEqual([
      '      1     200 ms    200 ms   100 %  ≈ slow src/slow.js:3  stretched 2.5× by waiting for CPU',
      '≈ a guess: on the stack once or twice, when a native call returned, or when the watchdog had started; it or what ran before it blocked',
      'A hint.',
      '≈ slow (src/slow.js:3) took 100 % of the blocked time: 1 block, 200 ms, stretched 2.5× by waiting for CPU.',
    ]);
  });

  test('explains the mark of a line of compiled code', () => {
    const because = 'javascript 100 % of 200 ms; guess: line of compiled code';
    const lines = summaryLines(
      { blocks: [makeBlock({ stackQuality: 'post_native', because })], lag: [], elapsedMs: 8_000, hints: [] },
      style(),
    );
    expect(lines.filter((line) => line.startsWith('≈ of code'))).toHaveLength(1);
    expect(lines.filter((line) => line.startsWith('≈ a guess'))).toEqual([]);
  });

  test('shows how much of a block that would have been none was waiting for CPU', () => {
    const blocks = [makeBlock({ cause: 'cpu_starved', runQueueMs: 150 })];
    expect(summaryLines({ blocks, lag: [], elapsedMs: 8_000 }, style())[2]).toMatch(
      /slow.js:3 {2}75 % of it waiting for CPU$/,
    );
  });

  test.each([20, 30, 50, 70, 80])('fits a terminal of %d columns, with culprit, line and total', (columns) => {
    const blocks = [makeBlock({ runQueueMs: 120, stackQuality: 'post_native' })];
    const lines = summaryLines({ blocks, lag: [makeLag()], elapsedMs: 1_000 }, style(columns));
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(columns);
    expect(lines.join('\n')).toMatch(/≈ slow \S*slow\.js:3/);
    expect(lines.join('\n')).toContain('200 ms');
  });
});

describe('the width of lines', () => {
  test.each([
    ['a terminal', { isTTY: true, columns: 80 }, 70],
    ['a file', { isTTY: false }, Infinity],
    ['a terminal without a size', { isTTY: true, columns: 0 }, Infinity],
    ['a terminal that does not know its size', { isTTY: true }, Infinity],
    ['a terminal too narrow for a place', { isTTY: true, columns: 12 }, Infinity],
  ])('is that of %s, less what the caller reserves', (_what, stream, columns) => {
    expect(styleFor(stream, false, 10)().columns).toBe(columns);
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

  test('prints the end of a block that is no longer than the last report of its hang, once', () => {
    const { view, lines } = createTestView();
    view.onBlocks([makeBlock({ ended: false, durationMs: 10_000 })]);
    for (let i = 0; i < 2; i++) view.onBlocks([makeBlock({ ended: true, durationMs: 9_990 })]);
    view.onBlocks([makeBlock({ ended: false, durationMs: 10_500 })]);
    expect(lines.map((line) => line.includes('still blocked'))).toEqual([true, false]);
  });

  test('prints waiting blocks before the summary', () => {
    const { view, lines } = createTestView(() => true);
    view.onBlocks([makeBlock()]);
    view.summary({ blocks: [makeBlock()], lag: [], elapsedMs: 1_000 });
    expect(lines[0]).toContain('slow src/slow.js:3');
    expect(lines[1]).toBe('1 block by 1 culprit in 1.00 s, 200 ms blocked');
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

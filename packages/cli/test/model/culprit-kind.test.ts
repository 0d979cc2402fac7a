import { existsSync } from 'node:fs';
import path from 'node:path';

import { describe, expect, test } from '@jest/globals';

import {
  adviceUrl,
  commonKind,
  CULPRIT_KINDS,
  kindOf,
  kindOfStack,
  searchesOfBlocks,
  withKind,
} from '../../src/model/advice/culprit-kind.js';
import { rowOf } from '../../src/model/live/page.js';
import { adviceOn } from '../support/advice.js';
import { makeBlock } from '../support/records.js';

const docs = path.resolve(import.meta.dirname, '../../../../docs/culprits');
const withProfile = (...lines: string[]) => makeBlock({ profile: lines.join('\n') });

describe('what the code looks like', () => {
  // As recorded on Node.js 24.
  test.each([
    ['nested-scan', ['main;slow;Array.find;<anonymous a.js:5> 900', 'main;slow;Array.find 80', 'main;slow 20']],
    ['sync-crypto', ['processTimers;listOnTimeout;slow;pbkdf2Sync 308']],
    ['sync-file-access', ['main;slow;readFileSync 200', 'main;slow;readFileSync;tryReadSync 90', 'main;slow 12']],
    ['large-json', ['main;slow;JSON.stringify 222', 'main;slow 23']],
    ['regex-backtracking', ['main;slow;RegExp.test 11946']],
    [
      'unpaged-list',
      ['main;slow;Array.map;<anonymous a.js:14> 300', 'main;slow;Array.map;toView;Date.toISOString 852'],
    ],
    // Few elements whose callback costs much look the same: what it calls has the time.
    [undefined, ['main;slow;Array.map;<anonymous a.js:14> 300', 'main;slow;Array.map;toView;format 852']],
    // A list that a package goes through is not the culprit's.
    [undefined, ['main;slow;validate;Array.forEach;<anonymous b.js:3> 852']],
    [undefined, ['main;slow 300', 'main;slow;Array.find 40']],
    // The callback calls what is slow: the scan itself is not.
    [undefined, ['main;slow;Array.find;<anonymous a.js:5>;isAllowed 900', 'main;slow 20']],
    // A function replaces each match: the pattern has 48 of 717 ms.
    [undefined, ['main;slow;String.replace;<anonymous a.js:5> 669', 'main;slow;String.replace 48']],
    ['regex-backtracking', ['main;slow;String.replace;<anonymous a.js:5> 48', 'main;slow;String.replace 669']],
    ['regex-backtracking', ['main;slow;String.matchAll;RegExpStringIterator.next 669']],
    // Evidence stands below the culprit: the caller's map is not the culprit's.
    [undefined, ['main;Array.map;slow 300']],
  ])('is %s by its profile', (kind, lines) => {
    expect(kindOf(withProfile(...lines))?.kind).toBe(kind);
  });

  test('is read from the stack where there is no profile', () => {
    const stackTrace =
      '    at RegExp.test (<anonymous>)\n    at slow (/app/src/slow.js:3:5)\n    at async main (/app/m.js:1:1)';
    expect(adviceOn(makeBlock({ stackTrace }))).toBe('May be a regular expression that backtracks');
  });

  describe('where no frame shows it', () => {
    const line = (lineNumber: number, text: string) => ({ '/app/src/slow.js': { [lineNumber]: text } });

    test.each([
      ['large-json', { cause: 'native', stackQuality: 'post_native' }, line(3, '  const body = JSON.parse(text);')],
      // The thread answered late, in the next line.
      ['large-json', { cause: 'native', stackQuality: 'post_native' }, line(2, '  const body = JSON.parse(text);')],
      ['sync-file-access', { cause: 'javascript' }, line(3, "  texts.push(readFileSync(file, 'utf8'));")],
      [undefined, { cause: 'javascript' }, line(3, '  const body = JSON.parse(text);')],
      [undefined, { cause: 'native' }, line(2, '  const body = JSON.parse(text);')],
      [undefined, { cause: 'native' }, line(3, '  const body = parse(text);')],
    ] as const)('is %s by the source of the line (%j, %j)', (kind, change, sources) => {
      expect(kindOf({ ...withProfile('main;slow 100'), ...change }, sources)?.kind).toBe(kind);
    });
  });

  describe('where the thread answers after a native call, often within the search that follows', () => {
    const profile = ['main;slow;Array.find;<anonymous a.js:9> 600', 'main;slow 300'];
    const kindIn = (text: string, lineNumber: number) => {
      const block = withProfile(...profile);
      const culprit = { ...block.culprit!, lineNumber };
      const lines = text.split('\n').map((line, index) => [index + 1, line] as const);
      return adviceOn({ ...block, culprit }, { [culprit.filePath]: Object.fromEntries(lines) });
    };

    test.each([
      ['for', ['  for (const log of logs) {', '    const parsed = JSON.parse(text);', '', '    first.find(isOwn);']],
      [
        'while',
        ['  while (hasNext()) {', "    if (ok) { readFileSync(name, 'utf8'); }", '    //', '    first.find(isOwn);'],
      ],
      [
        'a callback',
        ['  logs.map((log) => {', '    const copy = structuredClone(log);', '    //', '    first.find(isOwn);'],
      ],
      ['function', ['  logs.forEach(function (log) {', '    JSON.stringify(log);', '    //', '    first.find(isOwn);']],
    ])('it is no nested scan in the body of %s', (_head, lines) => {
      expect(kindIn(lines.join('\n'), 4)).toBe('');
    });

    test.each([
      ['the call runs once', ['function slow() {', '  const logs = JSON.parse(text);', '  logs.find(isOwn);']],
      ['the call is in the loop before', ['  for (const a of b) JSON.parse(a);', '', '  logs.find(isOwn);']],
      ['nothing above the line is known', ['', '', '    logs.find(isOwn);']],
    ])('it may be a nested scan, of a loop that calls the function, where %s', (_what, lines) => {
      expect(kindIn(lines.join('\n'), 3)).toBe('May be a nested scan');
    });

    test('it is a nested scan where the loop has no native call', () => {
      expect(kindIn('  for (const log of logs) {\n    count++;\n    logs.find(isOwn);', 3)).toBe(
        'Looks like a nested scan',
      );
    });

    test('it is no nested scan where the native call stands above the head of its callback', () => {
      const loop =
        '  for (const log of logs) {\n    JSON.parse(log.text);\n    first.find((other) => other.id === log.id);';
      expect(kindIn(loop, 3)).toBe('');
    });

    test('it is no nested scan where the native call stands below in the same loop', () => {
      const loop = '  for (const log of logs) {\n    first.find(isOwn);\n    JSON.parse(log.text);\n  }';
      expect(kindIn(loop, 2)).toBe('');
    });
  });

  describe('as a nested scan by the stacks', () => {
    const scan = withProfile('main;slow;Array.find 100');
    const kindedBy = (...lines: string[]) => {
      const culprit = { ...scan.culprit!, lineNumber: 10 };
      const texts = lines.map((line, index) => [10 - lines.length + 1 + index, line] as const);
      return withKind({ ...scan, culprit }, { [culprit.filePath]: Object.fromEntries(texts) });
    };
    const guess = { kind: 'nested-scan', isGuess: true };
    const sure = { kind: 'nested-scan', isGuess: false };

    test.each([
      ['a guess without the source', [], guess],
      ['a guess where the source begins within the body', ['  count++;', '  logs.find(isOwn);'], guess],
      ['no guess where the head of the loop is known', ['for (const log of logs)', '  logs.find(isOwn);'], sure],
      ['no guess in a loop over one of several lists', ['lists[0].forEach((log) =>', '  logs.find(isOwn));'], sure],
    ])('is %s', (_, lines, kind) => {
      expect(commonKind([kindedBy(...lines)])).toEqual(kind);
    });

    test.each(['for (const sign of [1, -1])', 'for (let turn = 0; turn < 3; turn++)', '[a, b].forEach((one) =>'])(
      'is a guess in a loop with few iterations: %s',
      (head) => {
        expect(commonKind([kindedBy(head, '  logs.find(isOwn);')])).toEqual(guess);
        expect(commonKind([kindedBy(`${head} logs.find(isOwn));`)])).toEqual(guess);
      },
    );

    test('is no guess in the first lines of a file', () => {
      const culprit = { ...scan.culprit!, lineNumber: 2 };
      const sources = { [culprit.filePath]: { 1: 'for (const log of logs)', 2: '  logs.find(isOwn);' } };
      expect(commonKind([withKind({ ...scan, culprit }, sources)])).toEqual(sure);
    });

    test('is a guess unless most of the blocked time is of blocks whose source is known', () => {
      const known = kindedBy('for (const log of logs)', '  logs.find(isOwn);');
      expect(commonKind([known, { ...kindedBy(), durationMs: known.durationMs * 1.5 }])).toEqual(guess);
      expect(commonKind([known, { ...kindedBy(), durationMs: known.durationMs / 2 }])).toEqual(sure);
    });
  });

  describe('where V8 has inlined the search, or the search leaves no frame', () => {
    const scan = (profile: readonly string[], lineNumber: number, text: string, change = {}) => {
      const block = withProfile(...profile);
      const culprit = { ...block.culprit!, lineNumber };
      const lines = text.split('\n').map((line, index) => [lineNumber + index, line] as const);
      return kindOf({ ...block, culprit, ...change }, { [culprit.filePath]: Object.fromEntries(lines) });
    };
    const loop = [
      '  for (const log of logs) {',
      '    const parent = logs.find((other) => other.id === log.parentId);',
      '    spans.push({ log, parent });',
      '  }',
    ].join('\n');
    const looped = ['main;slow 4098', 'main;slow;Array.find;<anonymous a.js:9> 510'];

    // As recorded: the first samples show the search, those after its optimisation the loop around it.
    test.each([
      ['find in a loop, Node.js 24 and 26', looped, loop],
      [
        'find in a loop, Node.js 20',
        ['main;slow 1593', 'main;slow;Array.find;<anonymous a.js:9> 1025', 'main;slow;Array.push 65'],
        loop,
      ],
      [
        'find in the arguments of push, Node.js 24',
        ['main;slow;Array.push 1407', 'main;slow;Array.find;<anonymous a.js:9> 337', 'get 2'],
        '  for (const log of logs) spans.push(logs.find((other) => other.id === log.parentId));',
      ],
      [
        'find in a loop without braces',
        looped,
        '  for (const log of logs)\n    if (logs.find((other) => other.id === log.parentId)) count++;',
      ],
      [
        'filter in map, Node.js 24',
        [
          'main;slow;Array.map;<anonymous a.js:64> 4524',
          'main;slow;Array.map;<anonymous a.js:64>;Array.filter;<anonymous a.js:65> 2788',
        ],
        '  return logs.map((log) => {\n    const own = logs.filter((other) => other.parentId === log.id);\n    return { log, own };\n  });',
      ],
      [
        'includes in a loop, Node.js 24',
        ['main;slow 4248', 'main;slow;Array.includes 20'],
        '  for (const id of ids) {\n    if (known.includes(id)) count++;\n  }',
      ],
      [
        'indexOf in a loop, Node.js 20',
        ['main;slow 11527', 'main;slow;Array Iterator.next 704', 'main;slow;Array.indexOf 29'],
        '  for (const id of ids) {\n    count += known.indexOf(id);\n  }',
      ],
    ])('is a nested scan: %s', (_what, profile, text) => {
      expect(scan(profile, 8, text)).toEqual({ kind: 'nested-scan', isGuess: false });
    });

    test.each([
      ['by the stacks alone', looped, ''],
      [
        'with another call beside the search, as recorded of JSON.parse, after which the thread answers in the callback',
        ['main;slow 169', 'main;slow;Array.find 106', 'main;slow;Array Iterator.next 86'],
        loop.replace('    const parent', '    const value = JSON.parse(log.text);\n    const parent'),
      ],
      ['in a loop whose end is not known', looped, loop.split('\n').slice(0, 3).join('\n')],
      [
        'with another loop in the body, whose callback V8 inlines as well',
        looped,
        loop.replace('    spans.push({ log, parent });', '    spans.push(logs.map((other) => other.id), parent);'),
      ],
      ['with a copy of a list in the body', looped, loop.replace('{ log, parent }', '[...logs, parent]')],
      ['where the line has no search', looped, '  for (const log of logs) {\n    count += log.size;\n  }'],
      ['where no sample shows the search', ['main;slow 4248'], loop],
      [
        'where another function took the time',
        ['main;slow 100', 'main;slow;Array.find;<anonymous a.js:9> 300', 'main;slow;Array.sort;byTime 900'],
        loop,
      ],
      [
        'of text, whose methods have the same names',
        ['main;slow 4248', 'main;slow;String.includes 20'],
        '  for (const word of words) {\n    if (word.includes(text)) count++;\n  }',
      ],
    ])('is unknown %s', (_what, profile, text) => {
      expect(scan(profile, 8, text)).toBeUndefined();
    });

    test('is read from the first blocks of the function, before the optimisation', () => {
      const [first, later] = [withProfile(...looped), withProfile('main;slow 2693')];
      const { filePath, lineNumber } = later.culprit!;
      const lines = loop.split('\n').map((line, index) => [lineNumber + index, line] as const);
      const sources = { [filePath]: Object.fromEntries(lines) };
      expect(kindOf(later, sources)).toBeUndefined();
      expect(kindOf(later, sources, searchesOfBlocks([first, later]))?.kind).toBe('nested-scan');
      const other = { ...first, culprit: { ...first.culprit!, functionName: 'other' } };
      expect(kindOf(later, sources, searchesOfBlocks([other, later]))).toBeUndefined();
    });

    test('is not read from a late answer', () => {
      expect(scan(looped, 8, loop, { stackQuality: 'post_native' })).toBeUndefined();
    });
  });

  test('is not read from the stack of a late answer, which shows what ran after the block', () => {
    const late = { ...withProfile('main;slow;Array.filter 854'), stackQuality: 'post_native' as const };
    expect(kindOf(late)).toBeUndefined();
    expect(kindOf({ ...late, profile: 'main;slow;pbkdf2Sync 854' })?.kind).toBe('sync-crypto');
  });

  test("is not said of code that only waited for a CPU, and of Loopwatch's own work", () => {
    const list = withProfile('main;slow;Array.map;<anonymous a.js:14> 300');
    expect(adviceOn(list)).toBe('May be a list without pages');
    expect(kindOf({ ...list, cause: 'cpu_starved' })).toBeUndefined();
    const own = { ...list.culprit!, functionName: "Loopwatch's own work" };
    expect(kindOf({ ...list, culprit: own })).toBeUndefined();
  });

  test('is unknown without a culprit', () => {
    const { culprit: _culprit, ...block } = withProfile('main;slow;RegExp.test 100');
    expect(kindOf(block)).toBeUndefined();
  });

  test('is known of a row of the page, which has no stacks', () => {
    const row = rowOf(withProfile('main;slow;RegExp.test 100'));
    expect(row).not.toHaveProperty('profile');
    expect(commonKind([row])).toEqual({ kind: 'regex-backtracking', isGuess: true });
  });

  test('of several blocks is the kind of most of their time', () => {
    const scan = { ...withProfile('main;slow;Array.find 100'), durationMs: 600 };
    const other = { ...withProfile('main;slow 100'), durationMs: 300 };
    expect(commonKind([scan, other])?.kind).toBe('nested-scan');
    expect(commonKind([scan, other, { ...other, durationMs: 400 }])).toBeUndefined();
  });
});

// A long text without backtracking, many small documents, and what a native call before has cost look the same.
test.each([
  ['String.split', 'regex-backtracking', true],
  ['RegExp.test', 'regex-backtracking', true],
  ['JSON.stringify', 'large-json', true],
  ['readFileSync', 'sync-file-access', true],
  ['Array.find', 'nested-scan', true],
  ['pbkdf2Sync', 'sync-crypto', false],
])('by one stack alone, %s is %s, a guess: %j', (frame, kind, isGuess) => {
  expect(kindOfStack(['handler', 'importRows', frame], 'importRows')).toEqual({ kind, isGuess });
});

// V8 shows `users.map((user) => plans.find(…))` so, where it has inlined the search.
test('by one stack alone, the callback of a map is neither a list without pages nor a scan', () => {
  expect(kindOfStack(['handler', 'joinPlans', 'Array.map', ''], 'joinPlans')).toBeUndefined();
  expect(kindOfStack(['handler', 'joinPlans', 'Array.map', '', 'Array.find', ''], 'joinPlans')).toEqual({
    kind: 'nested-scan',
    isGuess: true,
  });
});

test.each(CULPRIT_KINDS)('the advice on %s leads to a page that exists', (kind) => {
  expect(adviceUrl(kind)).toMatch(new RegExp(`/docs/culprits/${kind}\\.md$`));
  expect(existsSync(path.join(docs, `${kind}.md`))).toBe(true);
});

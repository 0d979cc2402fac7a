import { existsSync } from 'node:fs';
import path from 'node:path';

import { describe, expect, test } from '@jest/globals';

import {
  adviceText,
  adviceUrl,
  commonKind,
  CULPRIT_KINDS,
  kindOf,
  type KindedBlock,
  kindOfStack,
  searchesOfBlocks,
  withKind,
} from '../../src/model/advice/culprit-kind.js';
import { rowOf } from '../../src/model/live/page.js';
import { makeBlock } from '../support/records.js';

const docs = path.resolve(import.meta.dirname, '../../../../docs/culprits');
/** As the sentence says it: `Looks like a nested scan`; empty where it says nothing. */
const adviceOn = (...judged: Parameters<typeof kindOf>) => {
  const kind = kindOf(...judged);
  return kind === undefined ? '' : adviceText(kind).split(':')[0]!;
};
/** The block at a line of a source, the first of whose lines has the number 1. */
const adviceIn = (source: string, lineNumber: number, change: Partial<KindedBlock>) => {
  const block = makeBlock();
  const culprit = { ...block.culprit!, lineNumber };
  const lines = source.split('\n').map((line, index) => [index + 1, line] as const);
  return adviceOn({ ...block, culprit, ...change }, { [culprit.filePath]: Object.fromEntries(lines) });
};
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

// Of each kind, programs whose stacks look like it.
describe('what is said of a program is right, marked, or absent', () => {
  const inFunction = (...lines: readonly string[]) => ['function slow() {', ...lines, '}'].join('\n');

  describe('a regular expression', () => {
    const regex = { cause: 'native' as const, profile: 'main;slow;RegExp.test 300' };
    const replace = { ...regex, profile: 'main;slow;String.replace 300' };
    const split = { ...regex, profile: 'main;slow;String.split 300' };
    const looksLike = 'Looks like a regular expression that backtracks';
    const mayBe = 'May be a regular expression that backtracks';

    test.each([
      ['a group that matches in several ways', '  return /^(\\w+\\s?)*$/.test(text);', regex, looksLike],
      ['such a group with a class of characters', '  return /^([a-z0-9]+[-_]?)+$/.test(text);', regex, looksLike],
      ['such a group in a group', '  return /^[a-z](([-.]|[_]+)?([a-z0-9]+))*@$/.test(text);', regex, looksLike],
      ['a choice of such groups', '  return /^(?:a+|b)*$/.test(text);', regex, looksLike],
      ['a group that a comma delimits, of a long text', '  return /^(?:[^,]*,)*$/.test(text);', regex, mayBe],
      ['repetitions in a long text', "  return text.replace(/\\s+/g, ' ');", replace, mayBe],
      ['no repetition, in a long text or often', '  return /error|warn/.test(text);', regex, ''],
      ['a bounded repetition, often', '  return /^\\d{4}-\\d{2}$/.test(text);', regex, ''],
      ['a text, no expression', "  return text.split(', ').length;", split, ''],
      [
        'a text, no expression, that is replaced',
        '  return text.replaceAll("a", "b");',
        { ...replace, profile: 'slow;String.replaceAll 9' },
        '',
      ],
      ['several expressions', "  return text.replace(/a/g, '').match(/^(a+)+$/);", regex, mayBe],
      ['a bounded range', '  return /^(?:a{1,30}){1,30}$/.test(text);', regex, mayBe],
      ['an expression that is not known', '  return text.split(separator);', split, mayBe],
    ])('%s', (_, line, change, advice) => {
      expect(adviceIn(inFunction(line), 2, change)).toBe(advice);
    });

    test('that has a name, by its definition', () => {
      const named = (pattern: string) => `const TAG = ${pattern};\n${inFunction('  return TAG.test(text);')}`;
      expect(adviceIn(named('/^(a+)+$/'), 3, regex)).toBe(looksLike);
      expect(adviceIn(named('/^abc$/'), 3, regex)).toBe('');
      expect(adviceIn(named('new RegExp(source)'), 3, regex)).toBe(mayBe);
    });

    test('where collections have most of the time', () => {
      expect(adviceIn(inFunction('  return /^(a+)+$/.test(text);'), 2, { ...regex, cause: 'gc' })).toBe('');
    });
  });

  describe('JSON', () => {
    const late = { cause: 'native', stackQuality: 'post_native', profile: 'main;slow 300' } as const;
    const shown = { cause: 'native', profile: 'main;slow;JSON.stringify 300' } as const;
    const looksLike = 'Looks like a large JSON document';
    const mayBe = 'May be a large JSON document';

    test.each([
      ['one document, or what its toJSON does', ['  return JSON.stringify(rows);'], 2, shown, mayBe],
      [
        'many, which may be small',
        ['  for (const row of rows) {', '    out.push(JSON.stringify(row));', '  }'],
        3,
        shown,
        mayBe,
      ],
      [
        'many on one line',
        ['  app.get("/", () => { for (const row of rows) JSON.stringify(row); });'],
        2,
        shown,
        mayBe,
      ],
      ['many in a callback', ['  return rows.map((row) => JSON.stringify(row));'], 2, shown, mayBe],
      [
        'a callback that takes the time',
        ['  return JSON.stringify(rows, replacer);'],
        2,
        { ...shown, profile: 'main;slow;JSON.stringify;replacer 300' },
        mayBe,
      ],
      [
        'one that is parsed, before a list is gone through',
        ['  const rows = JSON.parse(text);', '  return rows.filter((row) => row.isOpen).length;'],
        3,
        late,
        looksLike,
      ],
      [
        'a short one, after a function that may end with a native call',
        ['  const copy = copyOf(state);', '  res.end(JSON.stringify({ rows: copy.length }));'],
        3,
        late,
        mayBe,
      ],
      ['one that is sent', ['  const { rows } = state;', '  res.end(JSON.stringify(rows));'], 3, late, looksLike],
      ['one that is parsed', ['  const rows = JSON.parse(text);', '  return rows.length;'], 3, late, looksLike],
      ['many that are parsed', ['  while (next()) {', '    count += JSON.parse(text).n;', '  }'], 3, late, mayBe],
      ['beside a native call', ['  return zlib.gzipSync(JSON.stringify(rows));'], 2, late, ''],
      ['before a native call', ['  const copy = JSON.parse(text);', '  return structuredClone(copy);'], 3, late, ''],
    ] as const)('%s', (_, lines, lineNumber, change, advice) => {
      expect(adviceIn(inFunction(...lines), lineNumber, change)).toBe(advice);
    });
  });

  describe('files', () => {
    const shown = { profile: 'main;slow;readFileSync 300' };
    const own = { profile: 'main;slow 300' };
    const looksLike = 'Looks like synchronous file access';
    const mayBe = 'May be synchronous file access';
    const readAndParse = [
      '  for (const file of files) {',
      '    const text = readFileSync(file);',
      '    JSON.parse(text);',
      '  }',
    ];

    test.each([
      [
        'in a loop',
        ['  for (const file of files) {', '    texts.push(readFileSync(file));', '  }'],
        3,
        shown,
        looksLike,
      ],
      ['beside a native call in the same loop', readAndParse, 3, shown, mayBe],
      [
        'in the functions of node:fs',
        readAndParse,
        3,
        { profile: 'main;slow;readFileSync;tryReadSync 300' },
        looksLike,
      ],
      ['without a frame', ['  texts.push(readFileSync(join(directory, file)));'], 2, own, looksLike],
      [
        'in a loop on one line',
        ['  for (const file of files) texts.push(readFileSync(file).length);'],
        2,
        { profile: 'main;slow;Array Iterator.next 300' },
        looksLike,
      ],
      [
        'without a frame, beside a native call in the same loop',
        readAndParse,
        3,
        { profile: 'main;slow;Array Iterator.next 300' },
        mayBe,
      ],
      ['that a function then works on', ['  return parse(readFileSync(file));'], 2, own, ''],
      [
        'that a package then works on',
        ['  return parse(readFileSync(file));'],
        2,
        { profile: 'main;slow;parse 300' },
        '',
      ],
      ['that a native call then works on', ['  return gunzipSync(readFileSync(file));'], 2, own, ''],
    ])('%s', (_, lines, lineNumber, change, advice) => {
      expect(adviceIn(inFunction(...lines), lineNumber, change)).toBe(advice);
    });

    test('of a file system in memory, whose functions have the same names', () => {
      const stackTrace =
        '    at readFileSync (/app/node_modules/memfs/volume.js:7:1)\n    at slow (/app/src/slow.js:3:5)';
      expect(adviceOn(makeBlock({ ...shown, stackTrace }))).toBe('');
      expect(adviceOn(makeBlock({ ...shown, stackTrace: stackTrace.replace(/\/app.*volume.js/, 'node:fs') }))).toBe(
        mayBe,
      );
    });

    test('in a function of that name, which may be of a package', () => {
      const written = { profile: 'main;slow;writeSync;write_zip 300' };
      expect(adviceOn(makeBlock(written))).toBe(mayBe);
      expect(adviceIn(inFunction('  return XLSX.write(book, options);'), 2, written)).toBe('');
      expect(adviceIn(inFunction('  writeSync(descriptor, join(lines));'), 2, written)).toBe(looksLike);
    });

    test('in a line that is cut, as all of a bundle', () => {
      const bundle = `var a=readFileSync(b);${'f(1);'.repeat(100)}`.slice(0, 240);
      expect(adviceIn(bundle, 1, own)).toBe('');
    });
  });

  describe('lists', () => {
    const find = { profile: 'main;slow;Array.find;<anonymous slow.js:3> 300' };
    const filter = { profile: 'main;slow;Array.filter;<anonymous slow.js:3> 300' };
    const map = { profile: 'main;slow;Array.map;<anonymous slow.js:3> 300' };
    const scan = 'Looks like a nested scan';
    const mayBeScan = 'May be a nested scan';
    const mayBeList = 'May be a list without pages';

    test.each([
      [
        'a search in a loop',
        ['  for (const log of logs) {', '    logs.find((other) => other.id === log.id);', '  }'],
        3,
        find,
        scan,
      ],
      ['a search that a loop may call', ['  return logs.find((other) => other.id === id);'], 2, find, mayBeScan],
      ['one pass over a long list', ['  return users.filter((user) => user.isActive);'], 2, filter, ''],
      [
        'a search that V8 has inlined for a part of the time, in a handler on one line',
        ['  app.get("/", (q, r) => { r.json(logs.map((log) => logs.find((other) => other.id === log.id))); });'],
        2,
        {
          profile:
            'main;slow;Array.map;<anonymous slow.js:2> 263\nmain;slow;Array.map;<anonymous slow.js:2>;Array.find;<anonymous slow.js:2> 238',
        },
        mayBeScan,
      ],
      [
        'few elements, seen in the loop of their callback',
        [
          '  return batches.filter((batch) => {',
          '    for (const row of batch) sum += row;',
          '    return sum > 0;',
          '  });',
        ],
        3,
        filter,
        '',
      ],
      [
        'elements, seen in the loop of their callback',
        [
          '  return seeds.map((seed) => {',
          '    for (let i = 0; i < 1e9; i++) seed = next(seed);',
          '    return seed;',
          '  });',
        ],
        3,
        map,
        '',
      ],
      [
        'a search, seen in its callback',
        [
          '  for (const log of logs) {',
          '    const own = logs.find((other) => {',
          '      return other.id === log.id;',
          '    });',
          '  }',
        ],
        4,
        find,
        scan,
      ],
      [
        'an index that is copied for each element',
        ['  return logs.reduce((index, log) => ({ ...index, [log.id]: log }), {});'],
        2,
        { profile: 'main;slow;Array.reduce;<anonymous slow.js:2> 300' },
        '',
      ],
      [
        'few elements whose callback has a loop',
        [
          '  return batches.filter((batch) => {',
          '    for (const row of batch) sum += row;',
          '    return sum > 0;',
          '  });',
        ],
        2,
        filter,
        '',
      ],
      [
        'a search whose callback calls',
        ['  for (const log of logs) {', '    logs.find((other) => hash(other) === log.id);', '  }'],
        3,
        find,
        mayBeScan,
      ],
      [
        'a search on one line with its loop',
        ['  return logs.map((log) => logs.find((other) => other.id === log.id));'],
        2,
        { profile: 'main;slow;Array.map;<anonymous slow.js:2>;Array.find;<anonymous slow.js:2> 300' },
        scan,
      ],
      [
        'a search in a handler, which is no loop',
        [
          "app.get('/log', (request, response) => {",
          '  response.json(logs.find((other) => other.id === request.query.id));',
          '});',
        ],
        3,
        find,
        mayBeScan,
      ],
      [
        'a search that V8 has inlined, in the callback of map',
        ['  return logs.map((log) => logs.find((other) => other.id === log.id));'],
        2,
        map,
        '',
      ],
      [
        'elements whose callback has a loop',
        [
          '  return seeds.map((seed) => {',
          '    for (let i = 0; i < 1e9; i++) seed = next(seed);',
          '    return seed;',
          '  });',
        ],
        2,
        map,
        '',
      ],
      ['few elements', ['  return [1, 2, 3].map((seed) => score(seed));'], 2, map, ''],
      [
        'a list, whose callback can do nothing that takes long',
        ['  return rows.map(({ id, at }) => ({ id, nextRun: new Date(at).toISOString() }));'],
        2,
        map,
        'Looks like a list without pages',
      ],
      ['a list, whose callback calls', ['  return rows.map((row) => format(row));'], 2, map, mayBeList],
      ['a list, whose callback stands elsewhere', ['  return rows.map(toRow);'], 2, map, mayBeList],
      ['a list, whose callback copies', ['  return rows.map((row) => ({ ...row, at }));'], 2, map, mayBeList],
      ['a list that is made into a text', ['  return rows.map((row) => row.id).join();'], 2, map, mayBeList],
      [
        'a query, of a number of rows that is not known',
        ['  return statement.all();'],
        2,
        { profile: 'main;slow;StatementSync.all 300' },
        mayBeList,
      ],
    ])('%s', (_, lines, lineNumber, change, advice) => {
      expect(adviceIn(inFunction(...lines), lineNumber, change)).toBe(advice);
    });

    test('where collections have most of the time', () => {
      expect(adviceOn(makeBlock({ ...find, cause: 'gc' }))).toBe('');
      expect(adviceOn(makeBlock({ ...map, cause: 'gc' }))).toBe('');
    });
  });

  test('cryptography beside another native call, and of a package', () => {
    const shown = { profile: 'main;slow;pbkdf2Sync 300' };
    const lines = [
      '  for (const row of rows) {',
      '    JSON.parse(row);',
      '    pbkdf2Sync(row, salt, 1, 9, name);',
      '  }',
    ];
    expect(adviceIn(inFunction(...lines), 4, shown)).toBe('May be synchronous cryptography');
    expect(adviceIn(inFunction(lines[2]!), 2, shown)).toBe('Looks like synchronous cryptography');
    const stackTrace = '    at pbkdf2Sync (/app/node_modules/pbkdf2/sync.js:7:1)\n    at slow (/app/src/slow.js:3:5)';
    expect(adviceOn(makeBlock({ ...shown, stackTrace }))).toBe('');
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

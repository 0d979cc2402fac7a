import { describe, expect, test } from '@jest/globals';

import { type KindedBlock } from '../../src/model/advice/culprit-kind.js';
import { adviceOn } from '../support/advice.js';
import { makeBlock } from '../support/records.js';

/** The block at a line of a source, the first of whose lines has the number 1. */
const adviceIn = (source: string, lineNumber: number, change: Partial<KindedBlock>) => {
  const block = makeBlock();
  const culprit = { ...block.culprit!, lineNumber };
  const lines = source.split('\n').map((line, index) => [index + 1, line] as const);
  return adviceOn({ ...block, culprit, ...change }, { [culprit.filePath]: Object.fromEntries(lines) });
};

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

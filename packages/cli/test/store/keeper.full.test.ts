import { type ChildProcess, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { chmodSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';

import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';

import { type Keeper, startKeeping } from '../../src/cli/store/keeper.js';
import { PendingRows } from '../../src/cli/store/pending-rows.js';
import { createStore, emptyChange, type Store } from '../../src/cli/store/store.js';
import type { Block } from '../../src/model/types.js';
import { makeBlock, makeLag } from '../support/records.js';

const SCHEMA = new URL('../../schema/recording.schema.json', import.meta.url);

let directory: string;
let file: string;
let said: string[];
let keepers: Keeper[];
beforeEach(async () => {
  directory = await mkdtemp(path.join(tmpdir(), 'loopwatch keep #1%20? '));
  file = path.join(directory, 'kept.db');
  said = [];
  keepers = [];
});
afterEach(async () => {
  keepers.forEach((keeper) => {
    keeper.close();
  });
  await rm(directory, { recursive: true, force: true });
});

async function keep(patienceMs = 500): Promise<{ keeper: Keeper; store: Store }> {
  const store = createStore();
  const keeper = await startKeeping({ file, store, say: (line) => said.push(line), patienceMs, schemaFile: SCHEMA });
  keepers.push(keeper);
  return { keeper, store };
}

/** What a start finds in the file. */
async function kept(): Promise<string[]> {
  const { keeper, store } = await keep();
  keepers.pop();
  keeper.close();
  return [...store.blocks.keys()];
}

const blocksOf = (...ids: readonly string[]): Block[] =>
  ids.map((id) => makeBlock({ id, startMs: Date.now() - 1_000 }));
const add = (keeper: Keeper, ...ids: readonly string[]): void => {
  keeper.add({ ...emptyChange(), blocks: blocksOf(...ids) });
};
const openByHand = (): DatabaseSync => new DatabaseSync(file);

/** Names and contents of the directory, without those of the claim. */
function contents(): Record<string, string> {
  return Object.fromEntries(
    readdirSync(directory)
      .filter((name) => !name.endsWith('-owner'))
      .map((name) => {
        const entry = path.join(directory, name);
        return [
          name,
          statSync(entry).isDirectory() ? 'directory' : createHash('sha256').update(readFileSync(entry)).digest('hex'),
        ];
      }),
  );
}

describe('a file of --keep', () => {
  test('has what was saved, is for its user alone, and is one file', async () => {
    const { keeper } = await keep();
    add(keeper, 'a', 'b');
    keeper.flush();
    add(keeper, 'c');
    keeper.add({ ...emptyChange(), removedBlocks: ['a'] });
    keeper.close();
    keepers.pop();
    expect(await kept()).toEqual(['b', 'c']);
    expect(readdirSync(directory)).toEqual(['kept.db']);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(said).toEqual([]);
  });

  test('has a largest size: its oldest entries make room, which is said once', async () => {
    const maxFileBytes = 300_000;
    const store = createStore();
    const say = (line: string): number => said.push(line);
    const keeper = await startKeeping({ file, store, say, maxFileBytes, schemaFile: SCHEMA });
    keepers.push(keeper);
    const startMs = Date.now() - 60_000;
    let largest = 0;
    for (let round = 0; round < 60; round++) {
      const ids = Array.from({ length: 20 }, (_, i) => round * 20 + i);
      const blocks = ids.map((id) => makeBlock({ id: `b${id}`, startMs: startMs + id }));
      const lag = ids.map((id) => makeLag({ startMs: startMs + id, endMs: startMs + id + 1 }));
      const instances = ids.map((id) => ({ id: `i${id}`, service: 'shop', label: '1' }));
      keeper.add({ ...emptyChange(), blocks, lag, instances });
      keeper.flush();
      largest = Math.max(largest, statSync(file).size);
    }
    keeper.close();
    keepers.pop();
    // The last transaction comes before the room is made.
    expect(largest).toBeLessThan(1.5 * maxFileBytes);
    const ids = await kept();
    expect(ids).toContain('b1199');
    expect(ids).not.toContain('b0');
    expect(ids.length).toBeGreaterThan(50);
    expect(said).toEqual([`${file} has reached its largest size: from now on, its oldest entries are deleted.`]);
  });

  test('keeps the permissions that it has', async () => {
    writeFileSync(file, '');
    chmodSync(file, 0o640);
    add((await keep()).keeper, 'a');
    expect(statSync(file).mode & 0o777).toBe(0o640);
  });

  test('of the first release, which has no mark, is taken', async () => {
    const { keeper } = await keep();
    add(keeper, 'a');
    keeper.close();
    keepers.pop();
    const db = openByHand();
    db.exec('PRAGMA application_id = 0; DROP INDEX blocks_by_id');
    db.close();
    expect(await kept()).toEqual(['a']);
    expect(said).toEqual([]);
  });

  test('with damaged, foreign and future entries gives the others, and says how many are not shown', async () => {
    const { keeper } = await keep();
    add(keeper, 'good');
    keeper.flush();
    const db = openByHand();
    const insert = db.prepare('INSERT INTO blocks VALUES (?, ?, ?, 0, 0, 0, 0, 0, 0, 0, 0, ?)');
    const now = Date.now();
    const valid = blocksOf('bad')[0]!;
    const damaged = [
      '',
      '{',
      'null',
      '[]',
      '"text"',
      '{}',
      JSON.stringify({ ...valid, startMs: null }),
      JSON.stringify({ ...valid, startMs: now + 10 * 365 * 86_400_000 }),
      JSON.stringify({ ...valid, startMs: -1 }),
      JSON.stringify({ ...valid, durationMs: -5 }),
      JSON.stringify({ ...valid, durationMs: 'long' }),
      JSON.stringify({ ...valid, culprit: 'f' }),
      JSON.stringify({ ...valid, id: 7 }),
      JSON.stringify(valid).replace(/"startMs":\d+/, '"startMs":1e999'),
    ];
    damaged.forEach((text, index) => insert.run(String(index), 'i', now - 500, text));
    insert.run('null', 'i', null, JSON.stringify(valid));
    const lag = db.prepare('INSERT INTO lag VALUES (?, ?, ?, ?, ?)');
    lag.run('i', 't', now, now, JSON.stringify(makeLag({ startMs: now - 1_000, endMs: now, counts: [1] })));
    lag.run('i', 't', now, now, new Uint8Array([1, 2, 3]));
    db.close();
    keeper.close();
    keepers.pop();
    expect(await kept()).toEqual(['good']);
    expect(said).toEqual([
      `Not shown: ${damaged.length + 2} entries of ${file} that are damaged, or lie in the future.`,
    ]);
  });
});

describe('a file that cannot be used', () => {
  const database = (sql: string) => () => {
    const db = openByHand();
    db.exec(sql);
    db.close();
  };

  test.each([
    [
      'garbage',
      () => {
        writeFileSync(file, 'x'.repeat(5_000));
      },
      /file is not a database/,
    ],
    [
      'a short text',
      () => {
        writeFileSync(file, 'notes');
      },
      /file is not a database/,
    ],
    [
      'a text beside one that has the name of its journal',
      () => {
        writeFileSync(file, 'notes');
        writeFileSync(`${file}-journal`, 'mine');
      },
      /-journal is not a journal of SQLite/,
    ],
    [
      'a directory',
      () => {
        mkdirSync(file);
      },
      /not a regular file/,
    ],
    [
      'a database of another program',
      database('CREATE TABLE t (a); INSERT INTO t VALUES (1)'),
      /database of another program/,
    ],
    [
      'one with a version',
      database('CREATE TABLE blocks (id, data); PRAGMA user_version = 1'),
      /database of another program/,
    ],
    [
      'one with a mark',
      database('CREATE TABLE blocks (id, data); PRAGMA user_version = 1; PRAGMA application_id = 7'),
      /database of another program/,
    ],
    [
      'one with a later version',
      database('CREATE TABLE t (a); PRAGMA user_version = 2'),
      /database of another program/,
    ],
    [
      'one of a newer loopwatch',
      database(`CREATE TABLE t (a); PRAGMA user_version = 2; PRAGMA application_id = 1280266064`),
      /a newer loopwatch wrote it \(format 2\)/,
    ],
    [
      'a damaged one of ours',
      () => {
        damage();
      },
      /malformed/,
    ],
  ])('is left as it is, and the data stays in memory: %s', async (_what, make, reason) => {
    make();
    const before = contents();
    const { keeper } = await keep();
    add(keeper, 'a');
    keeper.flush();
    keeper.flush();
    expect(said).toEqual([
      expect.stringMatching(
        /^Nothing is saved to .*kept\.db: .*\. Data stays in memory; saving begins when that is mended\.$/,
      ),
    ]);
    expect(said[0]).toMatch(reason);
    expect(keeper.problem).toBe(said[0]);
    keeper.close();
    keepers.pop();
    expect(contents()).toEqual(before);
  });

  /** With the header as it was. */
  function damage(): void {
    const db = openByHand();
    db.exec('PRAGMA application_id = 1280266064; PRAGMA user_version = 1; CREATE TABLE blocks (data)');
    db.close();
    const bytes = readFileSync(file);
    writeFileSync(file, Buffer.concat([bytes.subarray(0, 100), Buffer.alloc(bytes.length - 100, 0xff)]));
  }

  test('in use by another program with a write-ahead log of its own is not opened', async () => {
    const db = openByHand();
    db.exec('PRAGMA journal_mode = WAL; CREATE TABLE t (a); INSERT INTO t VALUES (1)');
    const before = contents();
    expect(Object.keys(before)).toEqual(['kept.db', 'kept.db-shm', 'kept.db-wal']);
    const { keeper } = await keep();
    keeper.close();
    keepers.pop();
    expect(contents()).toEqual(before);
    db.close();
  });

  test('is used when it can be, with what arrived meanwhile', async () => {
    writeFileSync(file, 'garbage');
    const { keeper } = await keep();
    add(keeper, 'a');
    keeper.flush();
    rmSync(file);
    add(keeper, 'b');
    keeper.close();
    keepers.pop();
    expect(said).toEqual([expect.stringContaining('Nothing is saved'), `Saves to ${file} again.`]);
    expect((await kept()).sort()).toEqual(['a', 'b']);
  });

  test('and never can be, is said at the end, too', async () => {
    file = path.join(directory, 'missing', 'kept.db');
    const { keeper } = await keep();
    expect(said).toEqual([expect.stringMatching(/kept\.db: the directory \S+.*missing does not exist\. Data stays/)]);
    add(keeper, 'a');
    keeper.close();
    keepers.pop();
    expect(said).toEqual([said[0], `What arrived last is not saved to ${file}.`]);
    expect(readdirSync(directory)).toEqual([]);
  });
});

describe('a file that others use', () => {
  test('is read by them meanwhile, and no entry is lost', async () => {
    const { keeper } = await keep();
    add(keeper, 'a');
    keeper.flush();
    const reader = openByHand();
    reader.exec('BEGIN; SELECT count(*) FROM blocks');
    add(keeper, 'b');
    keeper.flush();
    reader.exec('SELECT count(*) FROM blocks; COMMIT');
    keeper.flush();
    expect(
      reader
        .prepare('SELECT id FROM blocks ORDER BY id')
        .all()
        .map(({ id }) => id),
    ).toEqual(['a', 'b']);
    reader.close();
    expect([said, keeper.problem]).toEqual([[], undefined]);
  });

  /** A process of its own: within one, closing a file gives up its locks. */
  async function lockByOther(): Promise<ChildProcess> {
    const program = `
      const db = new (require('node:sqlite').DatabaseSync)(process.argv[1]);
      db.exec('BEGIN EXCLUSIVE');
      console.log('locked');
      setInterval(() => {}, 1000)`;
    const child = spawn(process.execPath, ['--no-warnings', '-e', program, file], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    await once(child.stdout, 'data');
    return child;
  }

  test('is waited for at the start, and the process that has locked it is named', async () => {
    (await keep()).keeper.close();
    keepers.pop();
    const other = await lockByOther();
    setTimeout(() => other.kill('SIGKILL'), 800);
    const { keeper } = await keep(60_000);
    const holder = process.platform === 'linux' ? `process ${other.pid} \\(.*\\)` : 'another program';
    expect(said).toEqual([
      expect.stringMatching(new RegExp(`^Waiting to save to .*kept\\.db: ${holder} has locked it\\.$`)),
    ]);
    expect(keeper.problem).toBeUndefined();
  });

  test('for longer than is waited for does not stop the receiver, and is used later', async () => {
    (await keep()).keeper.close();
    keepers.pop();
    const other = await lockByOther();
    const { keeper } = await keep();
    expect(keeper.problem).toMatch(/has locked it\. Data stays in memory/);
    add(keeper, 'a');
    other.kill('SIGKILL');
    await once(other, 'exit');
    keeper.close();
    keepers.pop();
    expect(await kept()).toEqual(['a']);
  });

  test.each(['a file', 'a file that is not there yet'])('is one by all of its paths: a link to %s', async (what) => {
    const link = path.join(directory, 'link.db');
    symlinkSync('kept.db', link);
    if (what === 'a file') writeFileSync(file, '');
    file = link;
    await keep();
    expect(readdirSync(directory).sort()).toEqual(['kept.db', 'kept.db-owner', 'link.db']);
    file = path.join(directory, 'kept.db');
    await expect(keep(0)).rejects.toThrow(`loopwatch serve with process id ${process.pid} saves there`);
  });

  test('is not shared by a second serve, which says whose it is', async () => {
    await keep();
    await expect(keep()).rejects.toThrow(
      `Gave up after 0.5 s: loopwatch serve with process id ${process.pid} saves there, to ${file}. Stop it, or give --keep another file.`,
    );
    expect(said).toEqual([`Waiting to save to ${file}: loopwatch serve with process id ${process.pid} saves there.`]);
  });

  test.each(['removed', 'replaced', 'of which the claim was removed'])(
    'and that was %s is opened again',
    async (what) => {
      const { keeper } = await keep();
      add(keeper, 'a');
      keeper.flush();
      if (what === 'of which the claim was removed') rmSync(`${file}-owner`);
      else rmSync(file);
      if (what === 'replaced') writeFileSync(file, '');
      add(keeper, 'b');
      keeper.flush();
      await new Promise((resolve) => setTimeout(resolve, 300));
      keeper.flush();
      expect(said).toEqual([expect.stringContaining('or something else is in its place. Opening it again.')]);
      keeper.close();
      keepers.pop();
      expect(await kept()).toContain('b');
    },
  );

  test.each([
    [
      'an old empty directory',
      () => {
        mkdirSync(`${file}.lock`);
      },
    ],
    [
      'a full directory',
      () => {
        mkdirSync(`${file}.lock`);
        writeFileSync(`${file}.lock/notes`, 'mine');
      },
    ],
    [
      'a file',
      () => {
        writeFileSync(`${file}.lock`, 'mine');
      },
    ],
    [
      'a link',
      () => {
        symlinkSync('nowhere', `${file}.lock`);
      },
    ],
  ])('leaves what is called like a lock: %s', async (_what, make) => {
    make();
    const { keeper } = await keep();
    add(keeper, 'a');
    keeper.close();
    keepers.pop();
    expect(await kept()).toEqual(['a']);
    expect(readdirSync(directory)).toEqual(['kept.db', 'kept.db.lock']);
  });
});

describe('entries that wait for the file', () => {
  test('are bounded, the oldest are dropped, and their number is known', () => {
    const pending = new PendingRows(10_000);
    for (let index = 0; index < 1_000; index += 1) {
      pending.add({ ...emptyChange(), blocks: blocksOf(`block ${index}`) }, 0);
    }
    const rows = [...pending.values()];
    expect(rows.length + pending.dropped).toBe(1_000);
    expect(JSON.stringify(rows).length).toBeLessThan(30_000);
    expect(rows.at(-1)!.values[0]).toBe('block 999');
    pending.clear();
    expect([pending.isEmpty, pending.dropped]).toEqual([true, 0]);
  });

  test('have the latest state of each block once', () => {
    const pending = new PendingRows();
    pending.add({ ...emptyChange(), blocks: blocksOf('a', 'b', 'a') }, 0);
    expect([...pending.values()].map(({ values }) => values[0])).toEqual(['b', 'a']);
  });
});

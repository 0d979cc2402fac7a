import {
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { Spool } from '../../../../src/watchdog/report/spool.js';

/** A process id that no process has: above the largest of all systems. */
const DEAD_PID = 2 ** 30;
const SUFFIX = '.loopwatch-hang.json';

let parent: string;
let directory: string;
let spool: Spool;

beforeEach(() => {
  parent = mkdtempSync(path.join(tmpdir(), 'loopwatch-spool-'));
  directory = path.join(parent, 'spool');
  spool = new Spool(directory);
});

afterEach(() => {
  rmSync(parent, { recursive: true, force: true });
});

function files(): string[] {
  return existsSync(directory) ? readdirSync(directory) : [];
}

/** A report that can be recognized by its name. */
function report(name: string): string {
  return JSON.stringify({ resourceSpans: [name] });
}

function writeLeftover(name: string, body = report('any')): void {
  mkdirSync(directory, { recursive: true });
  writeFileSync(path.join(directory, name), body);
}

function bodies(): string[] {
  return spool.leftovers().map(({ body }) => body);
}

describe('a report that is kept', () => {
  test('is stored until it is forgotten', () => {
    const forget = spool.keep('{"a":1}');
    expect(files()).toHaveLength(1);
    forget();
    expect(files()).toHaveLength(0);
    expect(forget).not.toThrow();
  });

  test('is readable by its owner only', () => {
    if (process.platform === 'win32') return;
    spool.keep('{}');
    expect(statSync(path.join(directory, files()[0]!)).mode & 0o777).toBe(0o600);
    expect(statSync(directory).mode & 0o777).toBe(0o700);
  });

  test('that is too large is not kept', () => {
    expect(spool.keep('x'.repeat(256 * 1024 + 1))).not.toThrow();
    expect(files()).toHaveLength(0);
  });

  test('is one of a bounded number: the oldest are evicted first', () => {
    for (let i = 0; i < 100; i++) writeLeftover(`${DEAD_PID}-${i}-aaaa${SUFFIX}`);
    spool.keep('{}');
    expect(files()).toHaveLength(64);
    expect(files()).not.toContain(`${DEAD_PID}-0-aaaa${SUFFIX}`);
    expect(files()).toContain(`${DEAD_PID}-99-aaaa${SUFFIX}`);
  });

  test('is lost without an error where the directory cannot be created', () => {
    writeFileSync(path.join(parent, 'file'), '');
    const broken = new Spool(path.join(parent, 'file', 'spool'));
    expect(broken.keep('{}')).not.toThrow();
    expect(broken.leftovers()).toEqual([]);
  });
});

describe('the leftover of an earlier process', () => {
  test('is returned, the oldest first', () => {
    writeLeftover(`${DEAD_PID}-200-bbbb${SUFFIX}`, report('second'));
    writeLeftover(`${DEAD_PID}-1000-cccc${SUFFIX}`, report('third'));
    writeLeftover(`${DEAD_PID}-30-aaaa${SUFFIX}`, report('first'));
    expect(bodies()).toEqual(['first', 'second', 'third'].map(report));
  });

  test('is deleted when it is forgotten', () => {
    writeLeftover(`${DEAD_PID}-1-aaaa${SUFFIX}`);
    for (const { forget } of spool.leftovers()) forget();
    expect(files()).toEqual([]);
  });

  test('is not returned while its process lives', () => {
    writeLeftover(`${process.ppid}-1-aaaa${SUFFIX}`);
    expect(bodies()).toEqual([]);
    expect(files()).toHaveLength(1);
  });

  test('is returned also with the own process id: in a container, each process may have the same', () => {
    writeLeftover(`${process.pid}-1-aaaa${SUFFIX}`, report('of before'));
    expect(bodies()).toEqual([report('of before')]);
  });

  test.each([
    ['another suffix', `${DEAD_PID}-1-aaaa.json`],
    ['no suffix', 'README'],
  ])('is not a file with %s', (_, name) => {
    writeLeftover(name);
    expect(bodies()).toEqual([]);
  });

  test('is not a link, a directory, or a file that is too large', () => {
    writeFileSync(path.join(parent, 'secret'), 'secret');
    mkdirSync(directory);
    symlinkSync(path.join(parent, 'secret'), path.join(directory, `${DEAD_PID}-1-aaaa${SUFFIX}`));
    mkdirSync(path.join(directory, `${DEAD_PID}-2-bbbb${SUFFIX}`));
    writeLeftover(`${DEAD_PID}-3-cccc${SUFFIX}`, 'x'.repeat(256 * 1024 + 1));
    expect(bodies()).toEqual([]);
  });

  test('does not exist where there is no directory', () => {
    expect(spool.leftovers()).toEqual([]);
  });

  test.each([
    ['no process id', `nobody${SUFFIX}`],
    ['a process id alone', `${DEAD_PID}${SUFFIX}`],
    ['no time', `${DEAD_PID}--aaaa${SUFFIX}`],
    ['something before it', `x${DEAD_PID}-1-aaaa${SUFFIX}`],
    ['a line break in it', `${DEAD_PID}-1-aaaa\n${SUFFIX}`],
  ])('is no file with a name that the spool does not give: %s', (_, name) => {
    writeLeftover(name);
    expect(bodies()).toEqual([]);
    expect(files()).toEqual([name]);
  });

  test.each([
    ['is empty', ''],
    ['was cut off', report('whole').slice(0, -3)],
    ['is no request', '{"resourceMetrics":[]}'],
    ['is null', 'null'],
    ['is binary', '\u0000\ufffd\u0001'],
  ])('is removed and not sent when it %s', (_, body) => {
    writeLeftover(`${DEAD_PID}-1-aaaa${SUFFIX}`, body);
    writeLeftover(`${DEAD_PID}-2-bbbb${SUFFIX}`, report('sound'));
    expect(bodies()).toEqual([report('sound')]);
    expect(files()).toEqual([`${DEAD_PID}-2-bbbb${SUFFIX}`]);
  });

  // Only the superuser can change the owner of a file.
  test.each(process.geteuid?.() === 0 ? [1, 65_534] : [])(
    'is no file of another user, which is neither sent nor removed (user %i)',
    (uid) => {
      writeLeftover(`${DEAD_PID}-1-aaaa${SUFFIX}`);
      chownSync(path.join(directory, `${DEAD_PID}-1-aaaa${SUFFIX}`), uid, uid);
      expect(bodies()).toEqual([]);
      expect(files()).toHaveLength(1);
    },
  );
});

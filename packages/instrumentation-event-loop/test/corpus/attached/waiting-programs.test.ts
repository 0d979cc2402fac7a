import { readFileSync } from 'node:fs';
import path from 'node:path';

import { expect, test } from '@jest/globals';

import { programsDirectory, readCorpus } from '../expectation.ts';
import { withLongWait } from './waiting-programs.ts';

test('each program of the corpus waits on one line, and keeps its other lines', () => {
  for (const { program } of readCorpus()) {
    const source = readFileSync(path.join(programsDirectory, program), 'utf8').split('\n');
    const waiting = withLongWait(program, source.join('\n')).split('\n');
    expect(waiting).toHaveLength(source.length);
    const changed = waiting.filter((line, index) => line !== source[index]);
    expect(changed).toEqual([expect.stringContaining("'the program waits")]);
  }
});

test('a program without a timer is an error', () => {
  expect(() => withLongWait('a.cjs', 'block();')).toThrow(
    'Expected a.cjs to start a timer before its block, found none.',
  );
});

import { expect, test } from '@jest/globals';

import { problemSentences } from '../../src/model/processes/watch-problem.js';

test('what could not be done is said once, with the processes', () => {
  const text = 'No watchdog thread (it has no memory): blocks are reported without stack.';
  expect(
    problemSentences([
      { instance: '12', text },
      { instance: '13', text },
      { instance: '13', text },
      { instance: '14', text },
      { instance: '12', text: 'Another one.' },
    ]),
  ).toEqual([`In process 12 and 2 others: ${text}`, 'In process 12: Another one.']);
  expect(problemSentences([])).toEqual([]);
});

test('of many problems, five are said', () => {
  const problems = Array.from({ length: 10_000 }, (_, i) => ({ instance: '1', text: `Problem ${i}.` }));
  const sentences = problemSentences(problems);
  expect(sentences).toHaveLength(6);
  expect(sentences.at(-1)).toBe('9995 other problems: --json has all.');
});

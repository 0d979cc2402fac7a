import { expect, test } from '@jest/globals';
import pc from 'picocolors';

import { diagnosisLines } from '../../src/cli/terminal/diagnosis-view.js';

test('the commands of a remedy stand on a line each, so that they can be copied', () => {
  const remedy = 'Run one of these:\n  docker exec -it <container> npx loopwatch attach 1\n  sudo nsenter --net';
  const lines = diagnosisLines(
    { subject: 'process 1', observations: [], findings: [{ rule: 'r', summary: 'It cannot be asked.', remedy }] },
    { colors: pc.createColors(false), columns: 80, directory: '/app' },
  );
  expect(lines.slice(-4)).toEqual([
    '    It cannot be asked.',
    '    Run one of these:',
    '      docker exec -it <container> npx loopwatch attach 1',
    '      sudo nsenter --net',
  ]);
});

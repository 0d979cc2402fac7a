import { expect, test } from '@jest/globals';
import { isStartingUp, phaseAfter, startUpIn, type LoopEvent } from '../../../src/detection/loop-phase.js';

test.each<[what: string, events: readonly LoopEvent[], startUp: string]>([
  ['nothing has happened', [], 'likely'],
  ['the loop has iterated', ['iterated'], 'likely'],
  ['start-up is watched', ['watched', 'iterated'], 'likely'],
  ['the application runs while its entry point waits', ['iterated', 'applicationSeen'], 'possible'],
  ['the entry point has been evaluated', ['evaluated'], 'over'],
  ['it has been evaluated after all', ['iterated', 'applicationSeen', 'evaluated'], 'over'],
  ['an application is seen in no loop that has iterated', ['applicationSeen'], 'likely'],
  ['nothing leads back', ['evaluated', 'watched', 'iterated', 'applicationSeen'], 'over'],
])('%s', (_, events, startUp) => {
  const phase = events.reduce(phaseAfter, 'loading');
  expect(startUpIn(phase)).toBe(startUp);
  expect(isStartingUp(phase)).toBe(startUp === 'likely');
});

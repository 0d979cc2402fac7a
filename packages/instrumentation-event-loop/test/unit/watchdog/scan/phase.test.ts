import { describe, expect, test } from '@jest/globals';
import { ProbeAnswer } from '../../../../src/contract/probe-answers.js';
import { phaseOf } from '../../../../src/watchdog/scan/phase.js';

describe('the phase of a thread', () => {
  test.each([
    ['no JavaScript on the stack', ProbeAnswer.noJavaScript, undefined],
    ['JavaScript that runs', ProbeAnswer.running, 'busy'],
    ['a worker asleep with nothing pending', ProbeAnswer.asleep, 'idle'],
    ['a worker asleep with work pending', ProbeAnswer.asleepWithPending, 'stuck'],
    ['an unknown answer', 99, undefined],
    ['NaN', NaN, undefined],
  ])('follows from the answer: %s', (_, answer, phase) => {
    expect(phaseOf(answer)).toBe(phase);
  });
});

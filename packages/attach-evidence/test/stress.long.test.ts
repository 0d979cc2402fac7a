import { expect, test } from '@jest/globals';
import { nodeMajors } from '@loopwatch/node-binaries';

import { measureStress } from '../src/parts/stress/measure-stress.ts';
import { stress } from '../src/settings.ts';

test.each(nodeMajors)(
  '50 attachments to servers under load and idle, ended in every way, harm nothing, on Node.js %d',
  async (major) => {
    const { attachments, deaths, openInspectors, load, control, problems } = await measureStress(major, stress);
    expect(Object.values(attachments).reduce((sum, count) => sum + count, 0)).toBe(50);
    expect({ deaths, openInspectors, problems }).toEqual({ deaths: 0, openInspectors: 0, problems: [] });
    expect(load.sent).toBeGreaterThan(500);
    expect(load.failed).toBeLessThanOrEqual(control.failed);
  },
  600_000,
);

import { describe, expect, test } from '@jest/globals';
import { nodeMajors } from '@loopwatch/node-binaries';

import { fixture, runCli } from '../support/cli.js';
import { canUnshare } from '../support/namespaces.js';

/** The command is the first process of a pid namespace, as in a container. */
const CONTAINER = ['--map-root-user', '--pid', '--fork', '--kill-child', '--mount', '--mount-proc'];
const describeInContainer = canUnshare(...CONTAINER) ? describe : describe.skip;

// The kernel ignores a signal that the first process of a container sends to itself.
describeInContainer('loopwatch run as the first process of a container ends with the code that shells have for', () => {
  test.each(nodeMajors)('a program that was killed, on Node.js %d', async (major) => {
    await expect(codeOf('SIGKILL', major)).resolves.toBe(137);
  });

  test.each([
    ['SIGTERM', 143],
    ['abort', 134],
    ['reallyExit', 7],
  ])('a program that ends by %s', async (how, code) => {
    await expect(codeOf(how)).resolves.toBe(code);
  });
});

async function codeOf(how: string, major?: (typeof nodeMajors)[number]): Promise<number | null> {
  const options = { under: ['unshare', ...CONTAINER], ...(major !== undefined && { major }) };
  return (await runCli(['run', '--quiet', '--', 'node', fixture('ends-in-block.cjs'), how], options)).code;
}

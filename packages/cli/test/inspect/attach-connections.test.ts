import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { expect, test } from '@jest/globals';

import { AttachConnections } from '../../src/cli/inspect/attach-connections.js';

test('a process that ends before it is watched is said to have ended, not to be left as it was', async () => {
  const directory = await mkdtemp(path.join(tmpdir(), 'loopwatch-connections-'));
  const connections = await AttachConnections.listen(directory, {
    onWorkerProblem: () => undefined,
    onProcessEnd: () => undefined,
  });
  try {
    await expect(connections.begun(4711, false, () => true)).rejects.toThrow(
      'Process 4711 ended before it was watched.',
    );
  } finally {
    await connections.end();
    await rm(directory, { recursive: true });
  }
});

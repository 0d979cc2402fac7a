import { workspaceNodeMajor } from '@loopwatch/node-binaries';
import { expect, test } from '@jest/globals';

import { parseOptions } from '../src/options.ts';
import type { BenchOptions } from '../src/options.ts';
import { sectionsOf } from '../src/report/sections.ts';
import { runBenchmarks } from '../src/run.ts';

const tiny: Partial<BenchOptions> = {
  load: { rounds: 2, passes: 1, requestShare: 0.02, warmUpWindows: 1, connections: 4, maxWindowMs: 2000 },
  paired: { pairs: 1, trials: 1, phaseMs: 60, warmUpMs: 300, settleMs: 20 },
  spans: { processes: 1, pairs: 2 },
  shedders: { batches: 2 },
  probes: { batches: 1 },
  threads: { counts: [1], measuredMs: 100, settleMs: 100 },
  micro: { rounds: 1, measuredMs: 20 },
  idle: { settleMs: 100, measuredMs: 100 },
  saturated: { passes: 1, windowMs: 300, warmUpMs: 300, settleMs: 100, idleMs: 100 },
  questions: { pairs: 1, windowMs: 2000, steadyAfterMs: 100, steadyWindows: 1, memoryPairs: 1, memoryMs: 300 },
  loading: { rounds: 2, waitMs: 200 },
  quality: { blocks: ['findParents'], hangMs: 0 },
};

test('measures every part end to end and makes tables of it', async () => {
  const options = parseOptions(['--peers', 'loopwatch', '--servers', 'promises,streams']);
  if (options === 'help') throw new Error('Expected options, got the help.');
  const result = await runBenchmarks(workspaceNodeMajor, { ...options, ...tiny }, () => undefined);

  const none = result.load!['promises']!['none']!;
  expect(none.cpuMicrosecondsPerRequest).toBeGreaterThan(0);
  expect(none.cpuToBaseline.value).toBe(1);
  expect(result.load!['streams']!['loopwatch']!.cpuToControl!.value).toBeGreaterThan(0);
  expect(result.micro!['loopwatch']!.awaitNanoseconds).toBeGreaterThan(0);
  expect(result.paired!['streams']!.serving.value).toBeGreaterThan(0);
  expect(result.paired!['promises']).toMatchObject({ blocks: 1, control: { value: expect.any(Number) } });
  expect(result.spans!.map(({ nanoseconds }) => nanoseconds > 0)).toEqual([true, true, true]);
  expect(result.shedders).toHaveLength(4);
  expect(result.probes!.map(({ path }) => path)).toEqual(['/livez', '/readyz', '/healthz']);
  expect(result.threads).toMatchObject([{ workers: 1, busy: { watchedPercent: expect.any(Number) } }]);
  expect(result.idlePercent).toHaveProperty('loopwatch');
  expect(Object.keys(result.saturated!.peers).sort()).toEqual(['loopwatch', 'none', 'sdk']);
  expect(result.saturated!.peers['loopwatch']!.others.value).toBeGreaterThan(0);
  expect(result.questions!.answer.value).toBeGreaterThan(0);
  expect(result.questions!.steady!.perSecond).toBeGreaterThan(0);
  expect(result.loading!.nodeMs).toBeGreaterThan(0);
  expect(result.loading!.rows.map(({ process }) => Number.isFinite(process.value))).toEqual(
    Array<boolean>(8).fill(true),
  );
  expect(result.quality!['loopwatch']).toMatchObject({ blocks: 1, seen: 1, rightSpan: 1 });
  expect(sectionsOf(result).map(({ title }) => title)).toEqual([
    'Loopwatch on and off',
    'Promise-heavy HTTP',
    'Stream piping',
    'Idle CPU, memory and start-up',
    'A saturated process',
    'The questions to a saturated process',
    'Loading and registering',
    'Worker threads',
    'Awaits and loop iterations',
    'Span processor',
    'Shedders',
    'Probes',
    'Quality of the reports',
  ]);
}, 180_000);

/**
 * Deployments of a simulated fleet, as unit tests of `promtool`: what the processes export once a minute, and whether
 * `EventLoopNewCulprit` may or must fire. The noise is what a deployment without a change has: functions that block once
 * in hours, in bursts; functions that block while a process warms up; hosts that are short of CPU after the deployment.
 */
export interface SimulatedDeployment {
  /** Each deployment is one of a service of its own, so that one run of `promtool` sees all of them. */
  readonly service: string;
  readonly series: readonly { readonly series: string; readonly values: string }[];
  /** Minute of the deployment. */
  readonly deployedAt: number;
  readonly minutes: number;
  /** The minute in which the seeded culprit has passed the threshold of the alert; absent without a change. */
  readonly seededAt?: number;
}

const SEEDED = 'seededCulprit';
const INSTANCES = 3;
const CHUNK = 8;
const MINUTES_AFTER = 120;
/** The threshold of the alert: blocks and seconds in ten minutes, of which one comes two minutes after another. */
const THRESHOLD = { blocks: 3, seconds: 1, minutes: 10, againAfterMinutes: 2 };

type Random = () => number;

interface Block {
  readonly minute: number;
  readonly instance: number;
  readonly seconds: number;
  readonly waitedSeconds: number;
}

/** A deployment without a change, or with a culprit that is seeded into the new version. The same seed gives the same. */
export function simulateDeployment(seed: number, isSeeded: boolean): SimulatedDeployment {
  const random = createRandom(seed);
  const service = `${isSeeded ? 'seeded' : 'unchanged'}-${seed}`;
  // The shorter the history, the more rare functions have not been seen in it.
  const deployedAt = Math.round(between(random, 90, 600));
  const minutes = deployedAt + MINUTES_AFTER;
  const culprits = new Map<string, Block[]>();
  const functionCount = Math.round(between(random, 5, 25));
  for (let i = 0; i < functionCount; i += 1) culprits.set(`function${i}`, steadyBlocks(random, minutes));
  for (let i = 0; i < 2; i += 1) culprits.set(`warmUp${i}`, warmUpBlocks(random, deployedAt));
  if (random() < 0.3) culprits.set('starved', starvedBlocks(random, deployedAt, minutes));

  const seededBlocks = isSeeded ? newBlocks(random, deployedAt, minutes) : [];
  if (isSeeded) culprits.set(SEEDED, seededBlocks);
  const seededAt = isSeeded ? passedAt(seededBlocks, minutes) : undefined;
  return {
    service,
    series: seriesOf(service, culprits, deployedAt, minutes, random),
    deployedAt,
    minutes,
    ...(seededAt !== undefined && { seededAt }),
  };
}

/** A function of both versions: bursts of one to four blocks, from several a minute to one in six hours. */
function steadyBlocks(random: Random, minutes: number): Block[] {
  const perMinute = 10 ** between(random, -2.55, 0.5);
  const medianSeconds = 10 ** between(random, -0.9, 0.3);
  return arrivals(random, 0, minutes, perMinute).flatMap((minute) => {
    const instance = Math.floor(random() * INSTANCES);
    return Array.from({ length: 1 + Math.floor(random() * 4) }, () =>
      blockAt(minute, instance, medianSeconds * Math.exp(gaussian(random) * 0.5)),
    );
  });
}

/** Blocks in the first minutes of each process, of both versions. */
function warmUpBlocks(random: Random, deployedAt: number): Block[] {
  const blocksOfProcess = Math.ceil(random() * 4);
  return [0, 1].flatMap((version) =>
    Array.from({ length: INSTANCES }, (_, instance) =>
      Array.from({ length: blocksOfProcess }, () =>
        blockAt(
          startOf(version, instance, deployedAt) + 1 + Math.floor(random() * 3),
          instance,
          between(random, 0.12, 0.8),
        ),
      ),
    ).flat(),
  );
}

/** A fast function, on a host that is short of CPU for ten minutes after the deployment: most of its blocks is waiting. */
function starvedBlocks(random: Random, deployedAt: number, minutes: number): Block[] {
  const from = deployedAt + Math.floor(random() * 60);
  return arrivals(random, from, Math.min(from + 10, minutes), 4).map((minute) => {
    const seconds = between(random, 0.12, 0.6);
    return { minute, instance: 0, seconds, waitedSeconds: seconds * between(random, 0.6, 0.9) };
  });
}

/** What the new version has that the old one had not: 0.5 to 10 blocks a minute, of 0.12 to 3 s. */
function newBlocks(random: Random, deployedAt: number, minutes: number): Block[] {
  const perMinute = 10 ** between(random, -0.3, 1);
  const medianSeconds = 10 ** between(random, -0.9, 0.48);
  // When the last process of the old version has ended: no block may count for both.
  const from = deployedAt + 2 * INSTANCES + 1 + Math.floor(random() * 30);
  return arrivals(random, from, minutes, perMinute).map((minute) =>
    blockAt(minute, Math.floor(random() * INSTANCES), medianSeconds * Math.exp(gaussian(random) * 0.3)),
  );
}

/** The first minute at whose end the blocks of the last ten minutes pass the threshold. */
function passedAt(blocks: readonly Block[], minutes: number): number | undefined {
  for (let minute = 0; minute < minutes; minute += 1) {
    const recent = blocks.filter((block) => block.minute <= minute && block.minute > minute - THRESHOLD.minutes);
    const seconds = recent.reduce((total, block) => total + block.seconds, 0);
    const isAgain = recent.some((block) => block.minute >= recent[0]!.minute + THRESHOLD.againAfterMinutes);
    if (recent.length >= THRESHOLD.blocks && seconds >= THRESHOLD.seconds && isAgain) return minute;
  }
  return undefined;
}

/** The new instances start one after the other; each old one runs for two more minutes. */
function startOf(version: number, instance: number, deployedAt: number): number {
  return version === 0 ? 0 : deployedAt + 2 * instance;
}

function seriesOf(
  service: string,
  culprits: ReadonlyMap<string, readonly Block[]>,
  deployedAt: number,
  minutes: number,
  random: Random,
): SimulatedDeployment['series'] {
  const all: { series: string; values: string }[] = [];
  for (const version of [0, 1]) {
    for (let instance = 0; instance < INSTANCES; instance += 1) {
      const start = startOf(version, instance, deployedAt);
      const end = version === 0 ? startOf(1, instance, deployedAt) + 2 : minutes;
      // Half of the processes export early in a minute: what they did in it arrives with the next export.
      const delay = random() < 0.5 ? 1 : 0;
      const labels = `service_name="${service}",service_version="1.${version}.0",service_instance_id="${version}:${instance}"`;
      all.push({
        series: `event_loop_lag_seconds_count{${labels}}`,
        values: `${missing(start)}0+600x${end - start - 1}`,
      });
      for (const [name, blocks] of culprits) {
        const own = blocks.filter(
          (block) => block.instance === instance && block.minute >= start && block.minute < end,
        );
        if (own.length === 0) continue;
        const culprit = `${labels},code_function_name="${name}"`;
        const push = (metric: string, of: (block: Block) => number): void => {
          all.push({ series: `${metric}{${culprit}}`, values: cumulative(own, of, end, delay) });
        };
        push('event_loop_blocked_duration_seconds_count', () => 1);
        push('event_loop_blocked_duration_seconds_sum', ({ seconds }) => seconds);
        if (own.some(({ waitedSeconds }) => waitedSeconds > 0))
          push('event_loop_blocked_run_queue_time_seconds_total', ({ waitedSeconds }) => waitedSeconds);
      }
    }
  }
  return all;
}

/** A counter that begins with its first block, without a zero before it. */
function cumulative(blocks: readonly Block[], of: (block: Block) => number, end: number, delay: number): string {
  const added = new Map<number, number>();
  for (const block of blocks) {
    const minute = block.minute + delay;
    added.set(minute, (added.get(minute) ?? 0) + of(block));
  }
  const first = Math.min(...added.keys());
  let total = 0;
  const values = Array.from({ length: Math.max(0, end - first) }, (_, i) => {
    total += added.get(first + i) ?? 0;
    return total.toFixed(3);
  });
  return missing(first) + values.join(' ');
}

/** So many samples that are missing. */
function missing(count: number): string {
  return count === 0 ? '' : `_x${count} `;
}

function blockAt(minute: number, instance: number, seconds: number): Block {
  return { minute, instance, seconds: Math.max(0.1, seconds), waitedSeconds: 0 };
}

function arrivals(random: Random, from: number, to: number, perMinute: number): number[] {
  const times: number[] = [];
  for (let at = from - Math.log(1 - random()) / perMinute; at < to; at -= Math.log(1 - random()) / perMinute)
    times.push(Math.floor(at));
  return times;
}

function between(random: Random, low: number, high: number): number {
  return low + (high - low) * random();
}

function gaussian(random: Random): number {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
}

/** Mulberry32: the same numbers for the same seed. */
function createRandom(seed: number): Random {
  let state = seed * 0x9e3779b9;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** The deployments as a file of unit tests for `promtool`. An expression fails if the alert is not as it must be. */
export function ruleTests(deployments: readonly SimulatedDeployment[], ruleFile: string): string {
  return JSON.stringify({
    rule_files: [ruleFile],
    group_eval_order: ['event_loop.culprits', 'event_loop.versions', 'event_loop.new_culprits', 'event_loop.alerts'],
    evaluation_interval: '1m',
    tests: chunks(deployments).map((chunk) => ({
      interval: '1m',
      input_series: chunk.flatMap(({ series }) => series),
      promql_expr_test: chunk.flatMap((deployment) => [falseAlarm(deployment), ...named(deployment)]),
    })),
  });
}

/** Few at a time: a query of `promtool` fails above 10,000 samples. */
function chunks(deployments: readonly SimulatedDeployment[]): SimulatedDeployment[][] {
  return Array.from({ length: Math.ceil(deployments.length / CHUNK) }, (_, i) =>
    deployments.slice(i * CHUNK, (i + 1) * CHUNK),
  );
}

function falseAlarm({ service, minutes }: SimulatedDeployment): object {
  const alerts = `ALERTS{alertname="EventLoopNewCulprit",service_name="${service}",code_function_name!="${SEEDED}"}`;
  return { expr: `count(count_over_time(${alerts}[${minutes}m]))`, eval_time: `${minutes - 1}m`, exp_samples: [] };
}

function named({ service, seededAt }: SimulatedDeployment): object[] {
  if (seededAt === undefined) return [];
  const alerts = `ALERTS{alertname="EventLoopNewCulprit",alertstate="firing",service_name="${service}",code_function_name="${SEEDED}"}`;
  const exp_samples = [{ labels: '{}', value: 1 }];
  return [{ expr: `count(count_over_time(${alerts}[2m]))`, eval_time: `${seededAt + 2}m`, exp_samples }];
}

/** What `promtool` found wrong: the services with a false alarm, and those whose culprit was not named in time. */
export function failures(output: string): { falseAlarms: string[]; missed: string[] } {
  // A rule that could not be evaluated would look as if no alert had fired.
  if (!/SUCCESS|FAILED/.test(output) || /\berr:/.test(output))
    throw new Error(`Expected a run of promtool, got: ${output}`);
  const expressions = output.split('\n').filter((line) => line.includes('expr:'));
  const servicesOf = (isMissed: boolean): string[] =>
    expressions
      .filter((line) => line.includes('!=') !== isMissed)
      .flatMap((line) => /service_name=\\?"([^"\\]+)/.exec(line)?.[1] ?? []);
  return { falseAlarms: servicesOf(false), missed: servicesOf(true) };
}

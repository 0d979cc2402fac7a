import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';

import type { LaunchArguments } from './arguments.js';
import { Child, ChildFailedError } from './child.js';

/** Short export intervals, so that a block is shown as soon as it has ended. */
const LIVE_EXPORT = { OTEL_BSP_SCHEDULE_DELAY: '500', OTEL_METRIC_EXPORT_INTERVAL: '2000' };

/**
 * Starts receiver, service and traffic in this order and stops them in the reverse order, so that the receiver still
 * runs when the service exports its last spans.
 */
export class Launch {
  readonly #children: { child: Child; signal: NodeJS.Signals }[] = [];
  readonly #arguments: LaunchArguments;
  #stopping = false;

  constructor(launchArguments: LaunchArguments) {
    this.#arguments = launchArguments;
  }

  /** Runs until the traffic ends or the signal aborts. Rejects when a child fails. */
  async run(interrupted: AbortSignal): Promise<void> {
    // Listens before the children start, so that a signal during their start is not missed.
    const interruption = new Promise<void>((resolve) => {
      interrupted.addEventListener('abort', () => {
        resolve();
      });
    });
    try {
      await Promise.race([this.#runChildren(), interruption]);
    } finally {
      await this.#stop();
    }
  }

  /** Kills all children and does not wait. */
  kill(): void {
    for (const { child } of this.#children) child.kill();
  }

  async #runChildren(): Promise<void> {
    const endpoint = process.env['OTEL_EXPORTER_OTLP_ENDPOINT'] || (await this.#startReceiver());
    console.log(`Telemetry  ${endpoint}`);
    for (const { release, seconds } of planReleases(this.#arguments))
      await this.#runRelease(release, seconds, endpoint);
  }

  async #runRelease(release: number, seconds: number, endpoint: string): Promise<void> {
    const version = `${release}.0.0`;
    const service = this.#start('SIGTERM', {
      name: 'The demo service',
      entry: new URL('./service.mjs', import.meta.url),
      nodeOptions: ['--import', new URL('./telemetry.mjs', import.meta.url).href],
      environment: {
        ...LIVE_EXPORT,
        ...pickFromEnvironment(LIVE_EXPORT),
        PORT: process.env['PORT'] || '0',
        DEMO_RELEASE: String(release),
        // What the user sets comes last, and so counts.
        OTEL_RESOURCE_ATTRIBUTES: [`service.version=${version}`, process.env['OTEL_RESOURCE_ATTRIBUTES']]
          .filter(Boolean)
          .join(','),
        OTEL_EXPORTER_OTLP_ENDPOINT: endpoint,
      },
    });
    const serviceUrl = await service.address();
    console.log(`Service    ${serviceUrl}  version ${version}`);
    console.log(`Traffic    ${this.#describeTraffic(seconds)}\n`);
    const { seed, fixed, workers } = this.#arguments;
    const servers = [...this.#children];
    const traffic = this.#start('SIGINT', {
      name: 'The traffic',
      entry: new URL('./traffic.mjs', import.meta.url),
      commandLine: [
        ...['--url', serviceUrl, '--duration', String(seconds), '--seed', String(seed)],
        ...(fixed ? ['--fixed'] : []),
        ...(workers ? ['--workers'] : []),
      ],
    });
    traffic.forwardOutput();
    await Promise.race([traffic.completed(), ...servers.map(({ child }) => child.failedEarly())]);
    // The next release takes its place. `#stop` ends what an interruption has left.
    if (!this.#stopping) await stopChild(service, 'SIGTERM');
    this.#children.splice(
      this.#children.findIndex(({ child }) => child === service),
      2,
    );
  }

  async #startReceiver(): Promise<string> {
    const receiver = this.#start('SIGINT', {
      name: 'The receiver (loopwatch serve)',
      entry: receiverEntry(),
      commandLine: ['serve', '--port', '0', '--print'],
      environment: process.stdout.isTTY && process.env['NO_COLOR'] === undefined ? { FORCE_COLOR: '1' } : {},
    });
    const address = await receiver.address();
    console.log(`Live page  ${address}`);
    return address;
  }

  #describeTraffic(seconds: number): string {
    const { seed, fixed } = this.#arguments;
    const until = seconds === 0 ? 'until Ctrl-C' : `for ${seconds} s`;
    return `seed ${seed}, ${until}${fixed ? ', fixed variants only' : ''}`;
  }

  #start(signal: NodeJS.Signals, options: ConstructorParameters<typeof Child>[0]): Child {
    if (this.#stopping) throw new ChildFailedError(`${options.name} was not started: the demo is stopping.`);
    const child = new Child(options);
    this.#children.push({ child, signal });
    return child;
  }

  async #stop(): Promise<void> {
    this.#stopping = true;
    for (const { child, signal } of this.#children.toReversed()) {
      // A child that had to be killed must not keep the next one running: the receiver prints the summary at its end.
      await stopChild(child, signal);
    }
  }
}

async function stopChild(child: Child, signal: NodeJS.Signals): Promise<void> {
  if (!(await child.stop(signal))) console.error(`${child.name} was too busy to end after ${signal} and was killed.`);
}

/** How long the first release runs before the second, where that runs until it is interrupted. */
const FIRST_RELEASE_SECONDS = 30;

/** Seconds of traffic for each release; 0: until interrupted. */
function planReleases({ release, durationSeconds }: LaunchArguments): { release: number; seconds: number }[] {
  if (release === 1) return [{ release: 1, seconds: durationSeconds }];
  const first = durationSeconds === 0 ? FIRST_RELEASE_SECONDS : durationSeconds / 2;
  return [
    { release: 1, seconds: first },
    { release: 2, seconds: durationSeconds === 0 ? 0 : durationSeconds - first },
  ];
}

/** The variables among the defaults that the user has set, with the values of the user. */
function pickFromEnvironment(defaults: Readonly<Record<string, string>>): Record<string, string> {
  const names = Object.keys(defaults).filter((name) => process.env[name]);
  return Object.fromEntries(names.map((name) => [name, process.env[name]!]));
}

function receiverEntry(): string {
  const manifestFile = createRequire(import.meta.url).resolve('loopwatch/package.json');
  const manifest = JSON.parse(readFileSync(manifestFile, 'utf8')) as { bin: { loopwatch: string } };
  const entry = path.join(path.dirname(manifestFile), manifest.bin.loopwatch);
  if (existsSync(entry)) return entry;
  throw new ChildFailedError(
    `Expected the command line tool at ${entry}, but there is no such file. Run \`npm run build\` first.`,
  );
}

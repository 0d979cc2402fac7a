import type { ChildProcess } from 'node:child_process';
import path from 'node:path';

import {
  METRIC_EVENT_LOOP_STALLED,
  METRIC_EVENT_LOOP_UTILIZATION,
} from '@loopwatch/instrumentation-event-loop/semconv';

import { run, telemetryOfDemo } from '../services/demo.ts';
import { SyntheticCollector } from '../services/synthetic-collector.ts';
import { SyntheticService } from '../services/synthetic-service.ts';
import type { TestStack } from '../test-stack.ts';

/** What makes an alert fire. */
export interface Cause {
  /** That the alert names; empty for most alerts on the pipeline. */
  readonly service: string;
  readonly text: RegExp;
  /** What must have been seen for so long before. */
  readonly historySeconds: number;
  /** Sends what a second brings, with the fault or without. */
  readonly everySecond: (isFaulty: boolean) => Promise<void>;
  /** Ends what still runs. */
  readonly stop?: () => void;
}

/** For the ranges and offsets of the rules in their fast form, and some seconds of the pipeline. */
const history = { short: 10, instances: 35, agents: 65, versions: 188 } as const;
/** Series that exceed the budget of the test. */
export const SERIES_BUDGET = 3000;

/** The causes of all alerts but the end of the collector itself. */
export function causesOf(stack: TestStack): Readonly<Record<string, Cause>> {
  return { ...causesInApplications(stack), ...causesInPipeline(stack.prometheus.url) };
}

function causesInApplications(stack: TestStack): Readonly<Record<string, Cause>> {
  const serviceOf = (name: string, version = '1.0.0') => new SyntheticService(stack.otlpUrl, name, 'classic', version);
  const cause = (
    name: string,
    text: RegExp,
    fault: (service: SyntheticService) => Readonly<Record<string, number>> | undefined,
  ): Cause => {
    const service = serviceOf(name);
    return {
      service: name,
      text,
      historySeconds: history.short,
      everySecond: async (isFaulty) => {
        service.recordLags(0.001);
        await service.exportMetrics(isFaulty ? fault(service) : { [METRIC_EVENT_LOOP_UTILIZATION]: 0.3 });
      },
    };
  };
  return {
    EventLoopLagHigh: cause('lagging', /^Event loop of lagging lagged for more than 1 s\n/, (service) => {
      service.recordLags(1.5);
      return undefined;
    }),
    EventLoopLagSustained: cause('slow', /^Event loop of slow has lagged for ten minutes\n/, (service) => {
      service.recordLags(0.4, 0.4);
      return undefined;
    }),
    EventLoopBlockedShareHigh: cause(
      'blocked',
      /^blocked is blocked for [\d.]+% of the time\n.* createSpans( \(.+:\d+\))? took 100% of the blocked time/,
      (service) => {
        service.recordBlock(0.5, 'createSpans');
        return undefined;
      },
    ),
    EventLoopSaturated: cause('busy', /^Event loop of busy is saturated\n.* busy for 97% of the time/, () => ({
      [METRIC_EVENT_LOOP_UTILIZATION]: 0.97,
    })),
    EventLoopHang: cause('hanging', /^hanging hangs: its event loop has been blocked for 12s\n/, () => ({
      [METRIC_EVENT_LOOP_STALLED]: 12,
    })),
    EventLoopNewCulprit: newCulprit(serviceOf('deployed'), serviceOf('deployed', '1.1.0')),
    EventLoopInstanceVanished: vanishing(serviceOf('pair'), serviceOf('pair')),
    ThreadPoolStarved: fullPool(stack),
  };
}

function newCulprit(old: SyntheticService, deployed: SyntheticService): Cause {
  let isDeployed = false;
  return {
    service: old.name,
    text: /^parseRows blocks deployed since version 1\.1\.0\nparseRows \(\/app\/report\.js:42\) took .+: \d+ blocks\. New in 1\.1\.0/,
    historySeconds: history.versions,
    everySecond: async (isFaulty) => {
      old.recordLags(0.001);
      await old.exportMetrics();
      isDeployed ||= isFaulty;
      if (!isDeployed) return;
      deployed.recordLags(0.001);
      if (isFaulty) await deployed.sendBlockedRequest({ seconds: 0.4, functionName: 'parseRows' });
      await deployed.exportMetrics();
    },
  };
}

function vanishing(one: SyntheticService, other: SyntheticService): Cause {
  return {
    service: one.name,
    text: /^An instance of pair stopped reporting\nsynthetic:\w+ has sent no metrics/,
    historySeconds: history.instances,
    everySecond: async (isFaulty) => {
      for (const service of isFaulty ? [one] : [one, other]) {
        service.recordLags(0.001);
        await service.exportMetrics();
      }
    },
  };
}

/** A real program whose pool is full, as its own watchdog sees it. */
function fullPool(stack: TestStack): Cause {
  let program: ChildProcess | undefined;
  let isOver = false;
  return {
    service: 'full-pool',
    text: /^Tasks of full-pool waited for libuv's thread pool for more than 1 s\n/,
    historySeconds: history.short,
    everySecond: (isFaulty) => {
      if (isFaulty)
        program ??= run(
          stack,
          ['--import', telemetryOfDemo, path.join(import.meta.dirname, '../services/full-pool.mjs')],
          {
            OTEL_SERVICE_NAME: 'full-pool',
            OTEL_EXPORTER_OTLP_ENDPOINT: stack.otlpUrl,
            OTEL_METRIC_EXPORT_INTERVAL: '1000',
          },
        );
      else if (program !== undefined && !isOver) isOver = program.kill('SIGUSR2');
      return Promise.resolve();
    },
    stop: () => void program?.kill('SIGKILL'),
  };
}

function causesInPipeline(prometheusUrl: string): Readonly<Record<string, Cause>> {
  const gateway = (text: RegExp, fault: (collector: SyntheticCollector, isFaulty: boolean) => void): Cause => {
    const collector = new SyntheticCollector(prometheusUrl, 'loopwatch-gateway', 'gateway-0');
    return {
      service: '',
      text,
      historySeconds: history.short,
      everySecond: async (isFaulty) => {
        fault(collector, isFaulty);
        await collector.export();
      },
    };
  };
  const counting = (text: RegExp, counter: string, attributes: Readonly<Record<string, string>> = {}): Cause =>
    gateway(text, (collector, isFaulty) => {
      collector.add(counter, isFaulty ? 7 : 0, attributes);
    });
  return {
    TelemetryQueueFilling: {
      ...gateway(/queue to otlp_grpc\/jaeger is filling up\nThe queue is 80% full/, (collector, isFaulty) => {
        collector.setGauge('otelcol_exporter_queue_size', isFaulty ? 800 : 0, { exporter: 'otlp_grpc/jaeger' });
        collector.setGauge('otelcol_exporter_queue_capacity', 1000, { exporter: 'otlp_grpc/jaeger' });
      }),
      service: 'loopwatch-gateway',
    },
    TelemetryLost: counting(
      /lost telemetry on its way to otlp_grpc\/jaeger\nThe collector dropped \d/,
      'otelcol_exporter_enqueue_failed_spans',
      { exporter: 'otlp_grpc/jaeger' },
    ),
    TelemetryLostInQueue: lostInQueue(gateway),
    TelemetryRefused: counting(
      /^The collector refuses telemetry\nThe collector refused \d/,
      'otelcol_receiver_refused_spans',
      { receiver: 'otlp' },
    ),
    TelemetryMemoryLimitReached: counting(
      /reached its memory limit\nThe memory limiter of gateway-0 refused \d/,
      'otelcol_processor_memory_limiter_refused_spans',
    ),
    TelemetryTracesDroppedTooEarly: counting(
      /before their sampling decision\ngateway-0 dropped \d/,
      'otelcol_processor_tail_sampling_sampling_trace_dropped_too_early',
    ),
    TelemetryAgentMissing: agentMissing(prometheusUrl),
    EventLoopSeriesBudgetExceeded: manySeries(prometheusUrl),
  };
}

function lostInQueue(
  gateway: (text: RegExp, fault: (collector: SyntheticCollector, isFaulty: boolean) => void) => Cause,
): Cause {
  const attributes = { exporter: 'otlp_grpc/jaeger_blocks' };
  let isLost = false;
  return gateway(
    /lost what was in its queue to otlp_grpc\/jaeger_blocks\ngateway-0 accepted 40 spans/,
    (collector, isFaulty) => {
      // A young one is not judged.
      collector.add('otelcol_process_uptime', collector.isNew ? 10_000 : 1, {}, 's');
      collector.setGauge('otelcol_exporter_queue_size', 0, attributes);
      collector.add('otelcol_exporter_queue_batch_send_size', isFaulty && !isLost ? 50 : 10, attributes);
      collector.add('otelcol_exporter_sent_spans', 10, attributes);
      isLost ||= isFaulty;
    },
  );
}

function agentMissing(prometheusUrl: string): Cause {
  const agents = ['agent-a', 'agent-b'].map((id) => new SyntheticCollector(prometheusUrl, 'loopwatch-agent', id));
  return {
    service: '',
    text: /^Fewer agents report than before\nAgents stopped reporting/,
    historySeconds: history.agents,
    everySecond: async (isFaulty) => {
      for (const agent of isFaulty ? agents.slice(1) : agents) {
        agent.add('otelcol_process_uptime', 1, {}, 's');
        await agent.export();
      }
    },
  };
}

function manySeries(prometheusUrl: string): Cause {
  const name = 'event_loop.of_many';
  const collector = new SyntheticCollector(prometheusUrl, 'many', 'many');
  let state: 'before' | 'there' | 'over' = 'before';
  return {
    service: '',
    text: /^Loopwatch has more active series than planned\n[\d.]+k active series/,
    historySeconds: history.short,
    everySecond: async (isFaulty) => {
      if (isFaulty && state === 'before') {
        for (let index = 0; index <= SERIES_BUDGET; index++) collector.setGauge(name, 1, { index: String(index) });
        await collector.export();
        state = 'there';
      }
      if (!isFaulty && state === 'there') {
        await collector.end(name);
        state = 'over';
      }
    },
  };
}

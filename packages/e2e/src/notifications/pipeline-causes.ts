import { SyntheticCollector } from '../services/synthetic-collector.ts';
import { history, type Cause } from './cause.ts';

/** Series that exceed the budget of the test. */
export const SERIES_BUDGET = 3000;

/** Of the alerts on the pipeline, but the end of the collector itself. */
export function causesInPipeline(prometheusUrl: string): Readonly<Record<string, Cause>> {
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

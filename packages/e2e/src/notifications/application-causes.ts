import type { ChildProcess } from 'node:child_process';
import path from 'node:path';

import {
  METRIC_EVENT_LOOP_STALLED,
  METRIC_EVENT_LOOP_UTILIZATION,
} from '@loopwatch/instrumentation-event-loop/semconv';

import { run, telemetryOfDemo } from '../services/demo.ts';
import { SyntheticService } from '../services/synthetic-service.ts';
import type { TestStack } from '../test-stack.ts';
import { history, type Cause } from './cause.ts';

/** Of the alerts on applications. */
export function causesInApplications(stack: TestStack): Readonly<Record<string, Cause>> {
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

import { typicalFleet, type Fleet, type Storage } from '@loopwatch/dashboards';
import * as semconv from '@loopwatch/instrumentation-event-loop/semconv';

import { SyntheticService } from './synthetic-service.ts';

/** What `simulate` makes. */
export const fleet: Fleet = {
  ...typicalFleet,
  processes: 200,
  services: 10,
  culpritsOfProcess: 3,
  busySeriesOfProcess: 3,
  busyRequestsOfVersion: 1,
  busyFunctionsOfVersion: 3,
  culpritsOfVersion: 3,
  operations: 1,
};
export const functions = ['createSpans', 'parseBody', 'sortRows'];

/**
 * Each process sends one request that each function has blocked, and exports its metrics. Not for a second: the rule of
 * such lags would make series that the model does not count, for a minute.
 */
export async function simulate(otlpUrl: string, { histograms }: Storage): Promise<void> {
  const processes = Array.from({ length: fleet.processes }, (_, index) => {
    const version = `1.${Math.floor(index / fleet.services) % fleet.versions}.0`;
    return new SyntheticService(otlpUrl, `service-${index % fleet.services}`, histograms, version);
  });
  for (const each of processes) {
    for (const functionName of functions) await each.sendBlockedRequest({ seconds: 0.9, functionName });
    each.recordLags(0.002, 0.03);
    for (const functionName of functions) each.recordBusyTime(7, 'GET /search', functionName);
    // The pool is free at each of the watchdog's looks.
    each.recordPoolWaits([0, 0, 0, 0, 0]);
    await each.exportMetrics({
      [semconv.METRIC_EVENT_LOOP_UTILIZATION]: 0.4,
      [semconv.METRIC_EVENT_LOOP_THREADS]: 1,
      [semconv.METRIC_EVENT_LOOP_THREAD_IDLE_AGE]: 3,
      [semconv.METRIC_LIBUV_THREAD_POOL_BUSY]: 0,
    });
  }
}

import type { CostSettings } from './parts/liveness/measure-cost.ts';
import type { StressSettings } from './parts/stress/measure-stress.ts';
import type { ThroughputSettings } from './parts/throughput/measure-throughput.ts';

/** On each of the four majors: 200 attachments in all. */
export const stress: StressSettings = { servers: 5, attachmentsPerServer: 10 };
export const throughput: ThroughputSettings = { pairs: 24, windows: 100, requests: 40 };
export const BLOCKED_SECONDS = 30;
export const cost: CostSettings = { windows: 8, windowSeconds: 15, settleSeconds: 45 };

import { groupBy } from '../collections.js';
import { cpuWaitShareText, gcShareText } from '../text/busy-share.js';
import { formatShare } from '../text/format.js';
import { GUESS_MARK } from '../text/guess.js';
import { formatPlace } from '../text/place.js';
import { precisionText } from '../text/share-interval.js';
import type { CodeLocation, Instance, StackQuality } from '../types.js';

/** A thread whose loop was busy nearly all of the time: what an `event-loop-saturated` span says. */
export interface Saturation {
  readonly instance: string;
  readonly threadName: string;
  /** Epoch, ms. */
  readonly startMs: number;
  readonly durationMs: number;
  /** Share of the time for which the loop was busy, 0 to 1. */
  readonly utilization: number;
  /** Part of the busy time in which the thread waited for a CPU, ms; absent where it is not known. */
  readonly runQueueMs?: number;
  /** Part of the busy time in garbage collections, ms; absent where it is not known. */
  readonly gcMs?: number;
  /** The function with the most time, and its share of the busy time. */
  readonly culprit?: CodeLocation;
  readonly share?: number;
  readonly stackQuality?: StackQuality;
  /** The request with the most time, and its share. */
  readonly request?: string;
  readonly requestShare?: number;
  /** Number of answers by which the shares were measured. */
  readonly answerCount?: number;
  /** Folded stacks, root first: lines `a;b;c N`, N in ms. */
  readonly profile?: string;
}

/** Services that have a sentence of their own. */
const MAX_SERVICES = 3;
/** A share of fewer answers is not named: its interval is wider than 14 points to each side. */
const MIN_ANSWERS = 50;

/** A sentence for each of the services whose loops were saturated most often, about the last time. */
export function saturationSentences(
  saturations: Iterable<Saturation>,
  instances: ReadonlyMap<string, Instance>,
): string[] {
  const serviceOf = ({ instance }: Saturation): string => instances.get(instance)?.service ?? 'unknown_service';
  return [...groupBy(saturations, serviceOf)]
    .sort(([, a], [, b]) => b.length - a.length)
    .slice(0, MAX_SERVICES)
    .map(([service, ofService]) => {
      const last = ofService.reduce((a, b) => (b.startMs >= a.startMs ? b : a));
      return sentenceOf(last, service, ofService.length, instances.get(last.instance)?.directory);
    });
}

function sentenceOf(last: Saturation, service: string, count: number, directory: string | undefined): string {
  const { threadName, utilization, durationMs, runQueueMs, gcMs } = last;
  const thread = threadName === 'main' ? 'The loop' : `Thread ${threadName}`;
  const busyMs = utilization * durationMs;
  const besides = [cpuWaitShareText(runQueueMs, busyMs), gcShareText(gcMs, busyMs)].filter((text) => text !== '');
  const busy = `${thread} of ${service} was busy ${formatShare(utilization)} of ${Math.round(durationMs / 1000)} s${besides.map((text) => `, ${text}`).join('')}`;
  const parts = partsOf(last, directory);
  const times = count > 1 ? ` This is the last of ${count} times.` : '';
  return `${busy}${parts === '' ? '' : `: ${parts}`}.${times}`;
}

/**
 * `63 % in GET /search; 41 % in parseFilters (src/filters.ts:12) (50 answers, ± 14 points at most)`: the function is not
 * only one of that request.
 */
function partsOf(saturation: Saturation, directory: string | undefined): string {
  const { culprit, share, stackQuality, request, requestShare, answerCount = 0 } = saturation;
  if (answerCount < MIN_ANSWERS) return '';
  const mark = stackQuality === 'post_native' ? `${GUESS_MARK} ` : '';
  const parts = [
    ...(request !== undefined && requestShare !== undefined ? [`${formatShare(requestShare)} in ${request}`] : []),
    ...(culprit && share !== undefined
      ? [`${formatShare(share)} in ${mark}${culprit.functionName} (${formatPlace(culprit, directory)})`]
      : []),
  ];
  return parts.length === 0 ? '' : `${parts.join('; ')} (${precisionText(answerCount)})`;
}

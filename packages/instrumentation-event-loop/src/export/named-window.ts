import type { Context } from '@opentelemetry/api';
import type { BusyCount, BusyWindow } from '../contract/busy-time-data.js';
import { fromShared, toShared } from '../contract/clock.js';
import { functionKey } from '../contract/frames.js';
import { printable } from '../contract/printable.js';
import type { CodeLocation } from '../types.js';
import { codeLocation } from './code-location.js';
import { safely } from './safely.js';

/** A `BusyWindow` as plain data, which can be sent to another thread: contexts are reduced to names. */
export interface NamedWindow extends Omit<BusyWindow, 'counts'> {
  readonly counts: readonly NamedCount[];
}

export interface NamedCount extends Omit<BusyCount, 'context' | 'culprit' | 'job'> {
  /** Of the SERVER or CONSUMER span, or the job where there is no span at all; undefined outside of them. */
  readonly served: string | undefined;
  /** The best name that is known, also without such a span. */
  readonly request: string | undefined;
  readonly culprit: CodeLocation | undefined;
  /** Identifies that function, also one without a name. */
  readonly culpritKey: string | undefined;
}

export interface RequestNames {
  readonly servedRequestOf: (context: Context) => string | undefined;
  readonly requestNameOf: (context: Context) => string | undefined;
}

/** Names requests and functions; without `captureStacks`, there are no functions and no stacks. */
export function namedWindow(window: BusyWindow, captureStacks: boolean, names: RequestNames): NamedWindow {
  return {
    ...window,
    threadName: printable(window.threadName),
    counts: window.counts.map(({ context, culprit, job, stack, ...count }) => {
      const nameBy = (read: (of: Context) => string | undefined): string | undefined => {
        const name = context === undefined ? undefined : safely(() => read(context as Context), undefined);
        return name && printable(name);
      };
      const served = nameBy(names.servedRequestOf);
      // The path says more than the method alone, which is all that an SDK without the framework's routes knows.
      const request = nameBy(names.requestNameOf) ?? served;
      // The name of a job is that of a function.
      const nameOfJob = request === undefined && captureStacks && job !== undefined ? printable(job) : undefined;
      return {
        ...count,
        served: served ?? nameOfJob,
        request: request ?? nameOfJob,
        culprit: captureStacks && culprit ? codeLocation(culprit) : undefined,
        culpritKey: captureStacks && culprit ? functionKey(culprit) : undefined,
        stack: captureStacks ? printable(stack, Infinity) : '',
      };
    }),
  };
}

/** A window as a message to another thread: its times are on the shared clock. */
export interface RelayedWindow {
  readonly busyWindow: NamedWindow;
  /** Something in the thread itself subscribes to the channel. */
  readonly isPublished: boolean;
}

export function toRelayedWindow(window: NamedWindow, isPublished: boolean): RelayedWindow {
  return { busyWindow: { ...window, start: toShared(window.start), end: toShared(window.end) }, isPublished };
}

export function fromRelayedWindow({ busyWindow }: RelayedWindow): NamedWindow {
  return { ...busyWindow, start: fromShared(busyWindow.start), end: fromShared(busyWindow.end) };
}

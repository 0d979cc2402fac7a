import { writeSync } from 'node:fs';
import process from 'node:process';
import { isMainThread } from 'node:worker_threads';
import { listenToProcess } from '../contract/own-listeners.js';
import { isNativeError, stringSplit } from '../contract/built-ins.js';
import { guarded } from '../contract/guard.js';
import { rootTimers } from '../detection/root-timers.js';
import { canLoadSdkParts } from './application-modules.js';

/** Set by a process that prints a notice: its child processes inherit it and print none. */
const ENV_NOTICED = 'LOOPWATCH_NOTICED';
/** How long an application that has another SDK installed may take to start it, in ms. */
const OTHER_SDK_TIMEOUT_MS = 30_000;

/**
 * Says on stderr that nothing is exported and what to install. Nothing else would: without an SDK there is no logger
 * either. An application that has the parts of an SDK may still set its own providers. With these, and where the
 * application subscribes to blocks, there is no notice.
 */
export function noticeMissingSdk(isInUse: () => boolean): void {
  if (!isFirstOfProcessTree()) return;
  const listening: { stop?: () => void } = {};
  const notice = guarded((): void => {
    listening.stop?.();
    if (isInUse()) return;
    print('no OpenTelemetry SDK found, so nothing is exported. Run: npm install @opentelemetry/sdk-node');
  });
  if (!canLoadSdkParts()) {
    notice();
    return;
  }
  rootTimers.setTimeout(notice, OTHER_SDK_TIMEOUT_MS);
  listening.stop = listenToProcess('exit', notice);
}

/** Says on stderr that the SDK could not be started. */
export function noticeFailedSdk(error: unknown): void {
  if (!isFirstOfProcessTree()) return;
  const reason = stringSplit(isNativeError(error) ? error.message : String(error), '\n', 1)[0]!;
  print(`the OpenTelemetry SDK did not start, so nothing is exported: ${reason}`);
}

/** Whether no notice is due yet in this process or in one that has started it; worker threads print none. */
function isFirstOfProcessTree(): boolean {
  if (!isMainThread || process.env[ENV_NOTICED] !== undefined) return false;
  process.env[ENV_NOTICED] = '1';
  return true;
}

function print(line: string): void {
  try {
    writeSync(2, `loopwatch: ${line}\n`);
  } catch {
    // stderr is closed
  }
}

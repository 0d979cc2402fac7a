import workerThreads from 'node:worker_threads';

/** The name of this thread, as it appears on spans and metrics. */
export function nameOfThread(): string {
  if (workerThreads.isMainThread) return 'main';
  // A worker can read its name from Node 22 on. Node calls a worker without a name `WorkerThread`.
  const { threadName } = workerThreads as { threadName?: string };
  return threadName === undefined || threadName === '' || threadName === 'WorkerThread' ? 'worker' : threadName;
}

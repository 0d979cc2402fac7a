import workerThreads from 'node:worker_threads';

/**
 * Whether this is the thread in which Node.js runs the hooks of `module.register()`: no event of the application waits
 * there. Node 20 does not say.
 */
export const isHooksThread = (workerThreads as { isInternalThread?: boolean }).isInternalThread === true;

/**
 * Preload of every process that `npm start` begins: when the parent is gone, however it ended, so is its IPC channel,
 * and this process ends as on Ctrl-C.
 */
process.once('disconnect', () => {
  process.kill(process.pid, 'SIGINT');
});
// The channel alone must not keep a process alive that has nothing left to do.
process.channel?.unref();

export {};

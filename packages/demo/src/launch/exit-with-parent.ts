/**
 * Preload of every child process of `npm start`. When the parent ends, even by SIGKILL, the IPC channel closes,
 * and this process ends as on Ctrl-C.
 */
process.once('disconnect', () => {
  process.kill(process.pid, 'SIGINT');
});
// Otherwise the channel keeps a process alive that has no work left.
process.channel?.unref();

export {};

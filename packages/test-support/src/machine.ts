import os from 'node:os';

/** The machine of a run, as one line. */
export function describeMachine(): string {
  const processors = os.cpus();
  const memoryGib = Math.round(os.totalmem() / 2 ** 30);
  return (
    `${processors[0]?.model.trim() || 'unknown CPU'}, ${processors.length} cores, ${memoryGib} GiB, ` +
    `${os.type()} ${os.release()} ${os.arch()}, load average ${os.loadavg()[0]!.toFixed(1)}`
  );
}

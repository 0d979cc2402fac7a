/** `npm start`: the demo service under Loopwatch, with traffic and with someone who watches. */
import { LAUNCH_USAGE, parseLaunchArguments } from './launch/arguments.js';
import { Launch } from './launch/launch.js';

try {
  const launchArguments = parseLaunchArguments(process.argv.slice(2), process.stdout.isTTY);
  if (launchArguments === 'help') console.log(LAUNCH_USAGE);
  else await runUntilInterrupted(new Launch(launchArguments));
} catch (error) {
  // What the user can mend needs no stack.
  console.error((error as Error).message);
  process.exitCode = 1;
}

async function runUntilInterrupted(launch: Launch): Promise<void> {
  const interrupted = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => {
      // Asked a second time, there is no more waiting.
      if (interrupted.signal.aborted) launch.kill();
      interrupted.abort();
    });
  }
  await launch.run(interrupted.signal);
}

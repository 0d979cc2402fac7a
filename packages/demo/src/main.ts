/** `npm start`: runs the demo service with traffic, and shows its blocks as they happen. */
import { LAUNCH_USAGE, parseLaunchArguments } from './launch/arguments.js';
import { Launch } from './launch/launch.js';

try {
  const launchArguments = parseLaunchArguments(process.argv.slice(2), process.stdout.isTTY);
  if (launchArguments === 'help') console.log(LAUNCH_USAGE);
  else await runUntilInterrupted(new Launch(launchArguments));
} catch (error) {
  // These errors tell the user what to correct; a stack would only hide the message.
  console.error((error as Error).message);
  process.exitCode = 1;
}

async function runUntilInterrupted(launch: Launch): Promise<void> {
  const interrupted = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => {
      // The second signal ends the children at once.
      if (interrupted.signal.aborted) launch.kill();
      interrupted.abort();
    });
  }
  await launch.run(interrupted.signal);
}

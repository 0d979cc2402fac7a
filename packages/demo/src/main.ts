/** `npm start`: runs the demo service with traffic, and shows its blocks as they happen. */
import { LAUNCH_USAGE, parseLaunchArguments } from './launch/arguments.js';
import { Launch } from './launch/launch.js';

/** One Ctrl-C can come twice: from the terminal, and from the script that npm runs. */
const SAME_SIGNAL_MS = 1000;

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
  let firstSignalMs = 0;
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => {
      if (!interrupted.signal.aborted) {
        firstSignalMs = performance.now();
        interrupted.abort();
      } else if (performance.now() - firstSignalMs > SAME_SIGNAL_MS) {
        launch.kill(); // the second Ctrl-C ends the children at once
      }
    });
  }
  await launch.run(interrupted.signal);
}

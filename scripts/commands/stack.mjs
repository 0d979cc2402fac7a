import { ensureBuilt } from '../stack/build.mjs';
import { parts } from '../stack/parts.mjs';
import { defaultPorts } from '../stack/ports.mjs';
import { residentBytes } from '../stack/processes.mjs';
import { startStack } from '../stack/stack.mjs';
import { dataDirectory, forget, recall, remember } from '../stack/state.mjs';

/** @typedef {import('../stack/stack.mjs').Stack} Stack */

const usage = `Usage: npm run stack <command>

  start    build what is missing (once, with Go); start collector, Jaeger, Prometheus and Alertmanager on loopback
  stop     stop them; their data stays in .stack/
  status   show which of them run, at which addresses, and their memory
  build    only build

The configuration files are those of docker-compose.yml. Grafana and the web pages of Jaeger and Prometheus need
\`docker compose up\`; here Jaeger and Prometheus have only their HTTP APIs.`;

/** Exit code of `status` if a program does not run: the one of init scripts. */
const notRunning = 3;

/** @type {Record<string, () => number | Promise<number>>} */
const commands = { start, stop, status, build };

/**
 * `npm run stack`: the pipeline as native processes.
 * @param {readonly string[]} commandArguments
 */
export async function main(commandArguments) {
  const [name, ...rest] = commandArguments;
  const command = name !== undefined && Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (command === undefined || rest.length > 0) {
    console.error(usage);
    return 2;
  }
  return command();
}

async function start() {
  const running = recall();
  if (running !== undefined && parts.every(({ name }) => running.isRunning(name))) {
    console.log(`The stack already runs.\n${description(running)}`);
    return 0;
  }
  await running?.stop();
  await ensureBuilt(parts, console.log);
  const startedAtMs = performance.now();
  const stack = await startStack({ ports: defaultPorts, dataDirectory, log: console.log });
  remember(stack);
  console.log(`Ready after ${((performance.now() - startedAtMs) / 1000).toFixed(1)} s.\n${description(stack)}`);
  return 0;
}

async function stop() {
  const stack = recall();
  if (stack === undefined) {
    console.log('No stack of this checkout was started.');
    return 0;
  }
  await stack.stop();
  forget();
  console.log('Stopped. Its data stays in .stack/.');
  return 0;
}

function status() {
  const stack = recall();
  if (stack === undefined) {
    console.log('Not started. `npm run stack start` starts it.');
    return notRunning;
  }
  let totalBytes = 0;
  let exitCode = 0;
  for (const { name, title } of parts) {
    const pid = stack.pids[name];
    if (pid === undefined || !stack.isRunning(name)) {
      console.log(`${title.padEnd(24)} not running`);
      exitCode = notRunning;
      continue;
    }
    const bytes = residentBytes(pid) ?? 0;
    totalBytes += bytes;
    console.log(`${title.padEnd(24)} running, process ${pid}, ${mebibytes(bytes)}`);
  }
  console.log(`${'Memory'.padEnd(24)} ${mebibytes(totalBytes)}\n${description(stack)}`);
  return exitCode;
}

async function build() {
  const binaries = await ensureBuilt(parts, console.log);
  for (const [name, file] of Object.entries(binaries)) console.log(`${name.padEnd(12)} ${file}`);
  return 0;
}

/** @param {number} bytes */
function mebibytes(bytes) {
  return `${Math.round(bytes / 1024 / 1024)} MiB`;
}

/** @param {Stack} stack */
function description({ urls, logDirectory }) {
  return `
  Applications send to     OTEL_EXPORTER_OTLP_ENDPOINT=${urls.otlp}
  Services seen by Jaeger  ${urls.jaeger}/api/v3/services
  Lag in Prometheus        ${urls.prometheus}/api/v1/query?query=event_loop_lag_seconds_count
  Alerts                   ${urls.prometheus}/api/v1/alerts
  Notified                 ${urls.alertmanager}/api/v2/alerts
  Logs                     ${logDirectory}

Grafana and the web pages of Jaeger and Prometheus need \`docker compose up\`.`;
}

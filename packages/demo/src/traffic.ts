/** Sends the traffic to a service that already runs: `node dist/traffic.mjs --url http://127.0.0.1:8080`. */
import { TRAFFIC_USAGE, parseTrafficArguments } from './traffic/arguments.js';
import { planTraffic } from './traffic/plan.js';
import { describeTraffic, sendTraffic } from './traffic/send.js';

const parsed = parseTrafficArguments(process.argv.slice(2), process.env);
if (parsed === 'help') {
  console.log(TRAFFIC_USAGE);
} else {
  const interrupted = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => {
      interrupted.abort();
    });
  }
  const { baseUrl, durationMs, ...options } = parsed;
  const summary = await sendTraffic(planTraffic(options), { baseUrl, durationMs, signal: interrupted.signal });
  console.log(`Traffic: ${describeTraffic(summary)}.`);
}

import { loadWarning } from '../machine.ts';
import type { BenchResult } from '../result.ts';

/** The conditions of the run, one sentence per line. */
export function preamble(result: BenchResult): string[] {
  const { date, minutes, machine, sdkVersion, versions, settings, loadAverage } = result;
  const peers = Object.entries(versions).map(([name, version]) => `${name} ${version}`);
  const warning = loadWarning(loadAverage.before, loadAverage.after, machine.cores);
  return [
    `${date}, Node.js ${machine.node}, ${machine.cpu}, ${machine.cores} cores, ${machine.memoryGib} GiB, ${machine.os}.`,
    `OpenTelemetry SDK ${sdkVersion}; ${peers.join(', ')}.`,
    `${settings.rounds} rounds of ${settings.passes} windows, ${settings.connections} connections, seed ${settings.seed}` +
      `${minutes === undefined ? '' : `, in ${minutes.toFixed(0)} minutes`}; ` +
      `load average ${loadAverage.before.toFixed(1)} before and ${loadAverage.after.toFixed(1)} after.`,
    ...(warning === undefined ? [] : [warning]),
  ];
}

import { loadWarning } from '../machine.ts';
import type { Part } from '../options.ts';
import type { BenchResult, RunConditions } from '../result.ts';

/** Parts that measure the peers too, in rounds. */
const comparing: readonly Part[] = ['load', 'micro', 'idle', 'saturated', 'quality'];

/** The conditions of the run, one sentence per line. */
export function preamble(conditions: RunConditions): string[] {
  const { date, minutes, machine, sdkVersion, versions, settings, loadAverage } = conditions;
  const peers = Object.entries(versions).map(([name, version]) => `${name} ${version}`);
  const warning = loadWarning(loadAverage.before, loadAverage.after, machine.cores);
  return [
    `${date}, ${machineText(conditions)}.`,
    `OpenTelemetry SDK ${sdkVersion}; ${peers.join(', ')}.`,
    `${settings.rounds} rounds of ${settings.passes} windows, ${settings.connections} connections, seed ${settings.seed}` +
      `${minutes === undefined ? '' : `, in ${minutes.toFixed(0)} minutes`}; ` +
      `load average ${loadAverage.before.toFixed(1)} before and ${loadAverage.after.toFixed(1)} after.`,
    ...(warning === undefined ? [] : [warning]),
  ];
}

/** The conditions of the parts of a table that were measured in a run of their own. */
export function ownRuns({ partRuns = {} }: BenchResult, parts: readonly Part[]): string[] {
  return parts.flatMap((part) => {
    const conditions = partRuns[part];
    if (conditions === undefined) return [];
    if (comparing.includes(part)) return [`Measured on its own (${part}): ${preamble(conditions).join(' ')}`];
    const { date, sdkVersion, loadAverage } = conditions;
    return [
      `Measured on its own (${part}): ${date}, ${machineText(conditions)}, OpenTelemetry SDK ${sdkVersion}; ` +
        `load average ${loadAverage.before.toFixed(1)} before and ${loadAverage.after.toFixed(1)} after.`,
    ];
  });
}

function machineText({ machine }: RunConditions): string {
  return `Node.js ${machine.node}, ${machine.cpu}, ${machine.cores} cores, ${machine.memoryGib} GiB, ${machine.os}`;
}

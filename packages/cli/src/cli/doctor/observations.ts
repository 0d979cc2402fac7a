import { readVariable } from '@loopwatch/instrumentation-event-loop/internal';

import type { Observation } from '../../model/processes/diagnosis.js';
import { formatMs } from '../../model/text/format.js';
import type { ExporterFacts, Facts, InspectorFacts } from './facts.js';
import { hasConfigurationFile, withoutCredentials } from './otlp-endpoint.js';
import { sdkOf } from './sdk.js';

/** What was seen, for a report of a problem: no values that may be secrets. */
export function observationsOf(facts: Facts): Observation[] {
  const { nodeVersion, loopwatchVersion, platform, flags, inspector, exporter, clock, target } = facts;
  const seen: readonly (readonly [label: string, text: string | undefined])[] = [
    ['Process', target.process && `${target.process.pid}  ${target.process.command}`],
    ['Node.js', nodeVersion && `${nodeVersion} on ${platform}`],
    ['loopwatch', loopwatchVersion],
    ['Packages', packagesOf(facts)],
    ['SDK', sdkText(facts)],
    ['Flags', flags.length === 0 ? undefined : flags.join(' ')],
    ...Object.keys(facts.env ?? {})
      .filter((name) => name !== 'NODE_OPTIONS')
      .map((name) => [name, valueOf(facts, name)] as const),
    ['Inspector', inspector && inspectorText(inspector)],
    ['System', systemText(facts)],
    ['Exporter', exporter ? exporterText(exporter) : unaskedText(facts)],
    ['Clock', clock.skewMs === undefined ? undefined : `within ${formatMs(Math.abs(clock.skewMs))} of the receiver's`],
  ];
  return seen.flatMap(([label, text]) => (text === undefined ? [] : [{ label, text }]));
}

function inspectorText({ port, isOpen, takenBy }: InspectorFacts): string {
  if (isOpen) return `open on port ${port}`;
  return `port ${port} ${takenBy === undefined ? 'free' : `taken by ${takenBy}`}`;
}

function packagesOf({ packages }: Facts): string {
  const names = ['@loopwatch/instrumentation-event-loop', '@opentelemetry/api', '@opentelemetry/instrumentation'];
  const shown = packages.filter(({ name }) => names.includes(name)).map(({ name, version }) => `${name} ${version}`);
  return shown.length === 0 ? 'none of OpenTelemetry' : shown.join(', ');
}

function sdkText({ packages }: Facts): string {
  const sdk = sdkOf(packages);
  return sdk ? `${sdk.line} (${sdk.copy.name} ${sdk.copy.version})` : 'none found';
}

/** Headers and resource attributes may contain secrets. */
function valueOf({ env = {} }: Facts, name: string): string {
  const value = readVariable(env, name) ?? '';
  return /HEADERS|ATTRIBUTES|KEY/.test(name) ? '(set, not shown)' : withoutCredentials(value);
}

function systemText({ system }: Facts): string | undefined {
  if (!system) return undefined;
  const quota = system.cpuQuota === undefined ? 'no CPU quota' : `CPU quota ${system.cpuQuota}`;
  if (!system.hasProc) return `no /proc, ${quota}`;
  const files = [system.hasSchedstat ? 'schedstat' : '', system.hasSyscall ? 'syscall' : ''].filter(Boolean);
  return `/proc with ${files.join(' and ') || 'neither schedstat nor syscall'}, ${quota}`;
}

function exporterText({ url, protocol, answer }: ExporterFacts): string {
  if (answer.kind === 'error') return `${url} (${protocol}) cannot be reached: ${answer.reason}`;
  if (answer.kind === 'connected') return `${url} (${protocol}) accepts connections`;
  const server = answer.server === undefined ? '' : ` of ${answer.server}`;
  return `${url} answers ${answer.status}${server} after ${formatMs(answer.ms)}`;
}

function unaskedText({ env = {} }: Facts): string | undefined {
  return hasConfigurationFile(env) ? 'that of OTEL_CONFIG_FILE, not asked' : undefined;
}

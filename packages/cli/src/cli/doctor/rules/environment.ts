import { optionVariables, readVariable } from '@loopwatch/instrumentation-event-loop/internal';

import type { Environment } from '../facts.js';
import {
  hasConfigurationFile,
  isSdkDisabled,
  OTLP_PROTOCOLS,
  tracesEndpoint,
  tracesExporters,
  withoutCredentials,
} from '../otlp-endpoint.js';
import { rule } from '../rule.js';

/** The variables that Loopwatch reads. */
const KNOWN_VARIABLES = [
  ...optionVariables(),
  'LOOPWATCH_SPOOL_DIRECTORY',
  'LOOPWATCH_SERVE_TOKEN',
  // In a pod that gets Loopwatch from outside (docs/kubernetes-injection.md).
  'LOOPWATCH_OTLP_ENDPOINT',
  'LOOPWATCH_RESOURCE_ATTRIBUTES',
  // Set by Loopwatch itself.
  'LOOPWATCH_NOTICED',
  'LOOPWATCH_RUN_DIRECTORY',
  'LOOPWATCH_SDK_MODULE',
];
const ENDPOINT_VARIABLES = [
  'OTEL_EXPORTER_OTLP_ENDPOINT',
  'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT',
  'OTEL_EXPORTER_OTLP_METRICS_ENDPOINT',
];

interface Setting {
  readonly name: string;
  readonly value: string;
}

/** Variables that are invalid, contradict each other or switch something off. */
export const environmentRules = [
  rule<string>({
    name: 'configuration-warning',
    check: ({ configurationWarnings }) => configurationWarnings,
    summary: (warning) => warning,
    remedy: () => 'Correct the value that the message names: it is not used.',
  }),
  rule<string>({
    name: 'unknown-variable',
    check: ({ env = {} }) =>
      Object.keys(env).filter(
        (name) =>
          name.startsWith('LOOPWATCH_') && !KNOWN_VARIABLES.includes(name) && readVariable(env, name) !== undefined,
      ),
    summary: (name) => `${name} is no variable of Loopwatch: it has no effect.`,
    remedy: (name) => `Did you mean ${closest(name)}? The options are in the README.`,
  }),
  rule<null>({
    name: 'sdk-disabled',
    check: ({ env = {} }) => (isSdkDisabled(env) ? [null] : []),
    summary: () => 'OTEL_SDK_DISABLED is true: nothing is instrumented and nothing is exported.',
    remedy: () => 'Remove OTEL_SDK_DISABLED.',
  }),
  rule<null>({
    name: 'traces-not-exported',
    check: ({ env = {} }) =>
      tracesExporters(env)?.includes('none') && !hasConfigurationFile(env) && !isSdkDisabled(env) ? [null] : [],
    summary: () => 'OTEL_TRACES_EXPORTER is none: no span is exported, neither of blocks nor of hangs.',
    remedy: () => 'Remove OTEL_TRACES_EXPORTER, or set it to otlp.',
  }),
  rule<null>({
    name: 'watchdog-off',
    check: ({ env = {} }) => (readVariable(env, 'LOOPWATCH_WATCHDOG')?.toLowerCase() === 'false' ? [null] : []),
    summary: () => 'LOOPWATCH_WATCHDOG is false: blocks have no stack and no culprit, and hangs are not reported.',
    remedy: () => 'Remove LOOPWATCH_WATCHDOG.',
  }),
  rule<string>({
    name: 'sampler-drops-all',
    check: ({ env = {} }) => {
      const sampler = readVariable(env, 'OTEL_TRACES_SAMPLER') ?? '';
      const ratio = sampler.endsWith('traceidratio') && Number(readVariable(env, 'OTEL_TRACES_SAMPLER_ARG') ?? 1) === 0;
      return sampler.endsWith('always_off') || ratio ? [sampler] : [];
    },
    summary: (sampler) => `OTEL_TRACES_SAMPLER is ${sampler}: no span is exported, neither of requests nor of blocks.`,
    remedy: () => 'Use another sampler, or wrap it in EventLoopSampler, which keeps the spans of blocks.',
  }),
  rule<Setting>({
    name: 'endpoint-not-a-url',
    check: ({ env = {} }) => endpointsOf(env).filter(({ value }) => !isHttpUrl(value)),
    summary: ({ name, value }) => `${name} is no http or https URL: ${JSON.stringify(withoutCredentials(value))}.`,
    remedy: () => 'Give the URL with its scheme, such as http://localhost:4318.',
  }),
  rule<Setting>({
    name: 'endpoint-has-signal-path',
    check: ({ env = {} }) =>
      endpointsOf(env).filter(
        ({ name, value }) => name === 'OTEL_EXPORTER_OTLP_ENDPOINT' && /\/v1\/(traces|metrics|logs)\/?$/.test(value),
      ),
    summary: ({ name }) => `${name} ends with the path of a signal, and each exporter appends one more.`,
    remedy: ({ value }) =>
      `Set it to the base URL: ${withoutCredentials(value).replace(/\/v1\/(traces|metrics|logs)\/?$/, '')}`,
  }),
  rule<Setting>({
    name: 'protocol-unknown',
    check: ({ env = {} }) =>
      ['OTEL_EXPORTER_OTLP_PROTOCOL', 'OTEL_EXPORTER_OTLP_TRACES_PROTOCOL', 'OTEL_EXPORTER_OTLP_METRICS_PROTOCOL']
        .map((name) => ({ name, value: readVariable(env, name) ?? '' }))
        .filter(({ value }) => value !== '' && !OTLP_PROTOCOLS.includes(value)),
    summary: ({ name, value }) => `${name} is ${JSON.stringify(value)}, which is no protocol of OTLP.`,
    remedy: () => `Set one of ${OTLP_PROTOCOLS.join(', ')}.`,
  }),
  rule<{ readonly protocol: string; readonly port: string }>({
    name: 'protocol-and-port-disagree',
    check: ({ env = {} }) => {
      const endpoint = tracesEndpoint(env);
      if (endpoint?.variable === undefined || !isHttpUrl(endpoint.url)) return [];
      const { port } = new URL(endpoint.url);
      const isGrpc = endpoint.protocol === 'grpc';
      return (isGrpc && port === '4318') || (!isGrpc && port === '4317') ? [{ protocol: endpoint.protocol, port }] : [];
    },
    summary: ({ protocol, port }) =>
      `The protocol is ${protocol}, but port ${port} is that of ${protocol === 'grpc' ? 'OTLP/HTTP' : 'OTLP/gRPC'}.`,
    remedy: ({ protocol }) =>
      protocol === 'grpc'
        ? 'Send to port 4317, or set OTEL_EXPORTER_OTLP_PROTOCOL=http/protobuf.'
        : 'Send to port 4318, or set OTEL_EXPORTER_OTLP_PROTOCOL=grpc.',
  }),
  rule<null>({
    name: 'hangs-need-http',
    check: ({ env = {} }) =>
      tracesEndpoint(env)?.protocol === 'grpc' && readVariable(env, 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT') === undefined
        ? [null]
        : [],
    summary: () => 'The exporter speaks gRPC, the watchdog thread only OTLP/HTTP: hangs are not reported.',
    remedy: () => 'Set the option hangExporter: { url } to an OTLP/HTTP endpoint, such as http://localhost:4318.',
  }),
  rule<null>({
    name: 'old-name-of-configuration-file',
    check: ({ env = {} }) =>
      readVariable(env, 'OTEL_EXPERIMENTAL_CONFIG_FILE') !== undefined &&
      readVariable(env, 'OTEL_CONFIG_FILE') === undefined
        ? [null]
        : [],
    summary: () => 'OTEL_EXPERIMENTAL_CONFIG_FILE is set, but the SDK for Node.js reads OTEL_CONFIG_FILE.',
    remedy: () => 'Rename the variable to OTEL_CONFIG_FILE.',
  }),
  rule<{ readonly variable: string; readonly path: string }>({
    name: 'file-not-found',
    check: ({ missingFiles }) => missingFiles,
    summary: ({ variable, path }) => `${variable} names ${path}, which does not exist.`,
    remedy: () => 'Correct the path. It counts from the working directory of the process.',
  }),
];

function endpointsOf(env: Environment): Setting[] {
  return ENDPOINT_VARIABLES.map((name) => ({ name, value: readVariable(env, name) ?? '' })).filter(
    ({ value }) => value !== '',
  );
}

function isHttpUrl(text: string): boolean {
  return URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);
}

/** The known name with the fewest words that differ. */
function closest(name: string): string {
  const words = new Set(name.split('_'));
  const distance = (known: string): number => {
    const others = known.split('_');
    return others.filter((word) => !words.has(word)).length + Math.abs(others.length - words.size);
  };
  return KNOWN_VARIABLES.reduce((best, known) => (distance(known) < distance(best) ? known : best));
}

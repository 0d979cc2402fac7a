import { parse, stringify } from 'yaml';

import { environmentOf, podsOf } from '../chart/pods.ts';
import { find, render } from '../chart/render.ts';

/** A collector to be loaded. */
export interface Subject {
  readonly name: 'gateway' | 'agent' | 'bare';
  readonly config: string;
  readonly environment: Readonly<Record<string, string>>;
}

export interface Backends {
  /** `host:port`, OTLP/gRPC. */
  readonly traces: string;
  /** URL, OTLP/HTTP. */
  readonly metrics: string;
  /** File that leads to an API of Kubernetes on this machine. */
  readonly kubeConfig: string;
}

/** Traces a second for which the chart sizes the gateway: more than one core takes. */
const TRACES_PER_SECOND = 3000;

/** The agent and the gateway as the chart configures them, and a collector without our pipelines. */
export function subjectsOf(helm: string, backends: Backends, telemetryPort: number): Subject[] {
  const manifests = render(helm, 'small', `traffic.tracesPerSecond=${TRACES_PER_SECOND}`, 'traffic.spansPerTrace=10');
  const configOf = (name: string): string => find(manifests, 'ConfigMap', name).data!['config.yaml']!;
  const environmentOfOwner = (owner: string): Record<string, string> =>
    environmentOf(podsOf(manifests).find((each) => each.owner === owner)!.pod);
  const measured = (config: string): string => withTelemetryPort(config, telemetryPort);
  return [
    {
      name: 'gateway',
      config: measured(configOf('lw-gateway')),
      environment: {
        ...environmentOfOwner('StatefulSet lw-gateway'),
        LOOPWATCH_JAEGER_OTLP_ENDPOINT: backends.traces,
        LOOPWATCH_PROMETHEUS_OTLP_ENDPOINT: backends.metrics,
      },
    },
    {
      name: 'agent',
      config: measured(
        configOf('lw-agent')
          .replace(/endpoint: lw-gateway\S+/, `endpoint: ${backends.traces}`)
          // The token is a file that Kubernetes mounts into a pod.
          .replace('auth_type: serviceAccount', 'auth_type: kubeConfig'),
      ),
      environment: {
        ...environmentOfOwner('DaemonSet lw-agent'),
        KUBECONFIG: backends.kubeConfig,
      },
    },
    { name: 'bare', config: measured(bareConfig(backends)), environment: {} },
  ];
}

/** Receives OTLP and sends it on, in batches as ours. */
function bareConfig({ traces, metrics }: Backends): string {
  const queue = { sending_queue: { batch: { flush_timeout: '200ms', min_size: 512, max_size: 2048 } } };
  return stringify({
    extensions: { health_check: { endpoint: '${env:LOOPWATCH_COLLECTOR_HEALTH_ENDPOINT}' } },
    receivers: {
      otlp: {
        protocols: {
          grpc: { endpoint: '${env:LOOPWATCH_COLLECTOR_OTLP_GRPC_ENDPOINT}' },
          http: { endpoint: '${env:LOOPWATCH_COLLECTOR_OTLP_HTTP_ENDPOINT}' },
        },
      },
    },
    exporters: {
      otlp_grpc: { endpoint: traces, tls: { insecure: true }, ...queue },
      otlp_http: { endpoint: metrics, ...queue },
    },
    service: {
      extensions: ['health_check'],
      telemetry: { logs: { level: 'error' } },
      pipelines: {
        traces: { receivers: ['otlp'], exporters: ['otlp_grpc'] },
        metrics: { receivers: ['otlp'], exporters: ['otlp_http'] },
      },
    },
  });
}

/** The collector's own metrics, for Prometheus to scrape. */
function withTelemetryPort(config: string, port: number): string {
  const parsed = parse(config) as { service: { telemetry: Record<string, unknown> } };
  parsed.service.telemetry['metrics'] = {
    level: 'normal',
    readers: [{ pull: { exporter: { prometheus: { host: '127.0.0.1', port, without_type_suffix: false } } } }],
  };
  return stringify(parsed);
}

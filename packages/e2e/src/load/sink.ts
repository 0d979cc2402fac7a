import { stringify } from 'yaml';

/** A collector that receives everything and keeps nothing, in the place of Jaeger and Prometheus. */
export function sinkConfig(): string {
  return stringify({
    extensions: { health_check: { endpoint: '${env:LOOPWATCH_COLLECTOR_HEALTH_ENDPOINT}' } },
    receivers: {
      otlp: {
        protocols: {
          grpc: { endpoint: '${env:LOOPWATCH_COLLECTOR_OTLP_GRPC_ENDPOINT}', max_recv_msg_size_mib: 64 },
          http: { endpoint: '${env:LOOPWATCH_COLLECTOR_OTLP_HTTP_ENDPOINT}' },
        },
      },
    },
    exporters: { debug: { verbosity: 'basic' } },
    service: {
      extensions: ['health_check'],
      telemetry: { logs: { level: 'error' }, metrics: { level: 'none' } },
      pipelines: {
        traces: { receivers: ['otlp'], exporters: ['debug'] },
        metrics: { receivers: ['otlp'], exporters: ['debug'] },
      },
    },
  });
}

import { existsSync, readFileSync } from 'node:fs';

import { stringify } from 'yaml';

/**
 * A collector that receives everything and keeps nothing, in the place of Jaeger and Prometheus. It writes blocks to a
 * file.
 */
export function sinkConfig(blocksFile: string): string {
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
    processors: { filter: { traces: { span: ['name != "event-loop-blocked"'] } } },
    exporters: {
      debug: { verbosity: 'basic' },
      'debug/blocks': { verbosity: 'detailed', use_internal_logger: false, output_paths: [blocksFile] },
    },
    service: {
      extensions: ['health_check'],
      telemetry: { logs: { level: 'error' }, metrics: { level: 'none' } },
      pipelines: {
        traces: { receivers: ['otlp'], exporters: ['debug'] },
        'traces/blocks': { receivers: ['otlp'], processors: ['filter'], exporters: ['debug/blocks'] },
        metrics: { receivers: ['otlp'], exporters: ['debug'] },
      },
    },
  });
}

/** The ids of the spans in that file. */
export function blocksIn(blocksFile: string): ReadonlySet<string> {
  const text = existsSync(blocksFile) ? readFileSync(blocksFile, 'utf8') : '';
  return new Set([...text.matchAll(/^ +ID +: (\w+)$/gm)].map(([, id]) => id!));
}

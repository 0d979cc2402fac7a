import { expect, test } from '@jest/globals';
import { exporterVariables } from '../../../src/config/exporter-variables.js';
import { resolveTarget } from '../../../src/export/hang-destination.js';

const traces = {
  endpoint: 'https://collector/v1/traces',
  headers: [{ name: 'team', value: 'a, b' }],
  headers_list: 'team=x,key=secret',
  timeout: 5000,
  tls: { ca_file: '/ca.pem', key_file: '/key.pem', cert_file: '/cert.pem' },
};
const metrics = { endpoint: 'http://metrics:4318/custom' };

test('hangs go where the SDK of the configuration file sends to, each signal with its own settings', () => {
  const variables = exporterVariables({
    tracer_provider: { processors: [{ simple: { exporter: {} } }, { batch: { exporter: { otlp_http: traces } } }] },
    meter_provider: { readers: [{ periodic: { exporter: { otlp_http: metrics } } }] },
  });
  const env = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://other', OTEL_TRACES_EXPORTER: 'none', ...variables };
  expect(resolveTarget({ hangExporter: undefined, env, warn: fail })).toEqual({
    traces: {
      url: traces.endpoint,
      headers: { team: 'a, b', key: 'secret' },
      timeoutMs: 5000,
      certificate: '/ca.pem',
      clientKey: '/key.pem',
      clientCertificate: '/cert.pem',
    },
    metrics: expect.objectContaining({ url: metrics.endpoint, headers: {} }),
    spoolDirectory: undefined,
  });
});

test.each([
  {},
  { tracer_provider: null, meter_provider: null },
  { tracer_provider: { processors: [{ batch: null }, { batch: { exporter: { otlp_http: null } } }] } },
  { meter_provider: { readers: [{ pull: { exporter: {} } }] } },
])('without an exporter by OTLP over HTTP, the environment says where: %j', (model) => {
  expect(exporterVariables(model)).toEqual({});
});

function fail(message: string): never {
  throw new Error(message);
}

import { readFileSync } from 'node:fs';
import path from 'node:path';

import { rootDirectory } from '../lib/paths.mjs';

/** @typedef {import('./ports.mjs').Ports} Ports */
/** @typedef {'collector' | 'jaeger' | 'prometheus' | 'alertmanager'} ProgramName */

/**
 * @typedef {object} Program how one of the programs is run
 * @property {ProgramName} name
 * @property {string} command
 * @property {readonly string[]} arguments
 * @property {Readonly<Record<string, string>>} environment added to that of this process
 * @property {string} healthUrl answers 2xx once the program is ready
 * @property {readonly string[]} directories that must exist before it starts
 * @property {Readonly<Record<string, string>>} [files] that are written before it starts
 */

/**
 * Addresses for users, tests and applications.
 * @param {Ports} ports
 */
export function urlsOf(ports) {
  return {
    otlp: `http://127.0.0.1:${ports.otlpHttp}`,
    jaeger: `http://127.0.0.1:${ports.jaegerQuery}`,
    prometheus: `http://127.0.0.1:${ports.prometheus}`,
    alertmanager: `http://127.0.0.1:${ports.alertmanager}`,
  };
}

/**
 * Uses the configuration files that docker-compose.yml mounts, with this machine's addresses in the environment.
 * @param {object} options
 * @param {Record<string, string>} options.binaries
 * @param {Ports} options.ports
 * @param {string} options.dataDirectory
 * @param {Readonly<Record<string, string>>} [options.environment] overrides
 * @returns {Program[]}
 */
export function programsOf({ binaries, ports, dataDirectory, environment = {} }) {
  const prometheus = `127.0.0.1:${ports.prometheus}`;
  const alertmanager = `127.0.0.1:${ports.alertmanager}`;
  const prometheusConfig = path.join(dataDirectory, 'prometheus.yml');
  const jaegerOtlp = `127.0.0.1:${ports.jaegerOtlp}`;
  const dataOf = (/** @type {ProgramName} */ name) => path.join(dataDirectory, name);

  return [
    {
      name: 'prometheus',
      command: binaryOf(binaries, 'prometheus'),
      arguments: [
        `@${inCheckout('deploy/prometheus/flags')}`,
        `--config.file=${prometheusConfig}`,
        `--storage.tsdb.path=${dataOf('prometheus')}`,
        `--web.listen-address=${prometheus}`,
      ],
      environment,
      healthUrl: `http://${prometheus}/-/ready`,
      directories: [dataOf('prometheus')],
      // Prometheus reads no variables there. The paths of rules count from the file.
      files: {
        [prometheusConfig]: readFileSync(inCheckout('deploy/prometheus/prometheus.yml'), 'utf8')
          .replace('alertmanager:9093', alertmanager)
          .replace(
            'rules/*.yml',
            environment['LOOPWATCH_PROMETHEUS_RULES'] ?? inCheckout('deploy/prometheus/rules/*.yml'),
          ),
      },
    },
    {
      name: 'alertmanager',
      command: binaryOf(binaries, 'alertmanager'),
      arguments: [
        `--config.file=${environment['LOOPWATCH_ALERTMANAGER_CONFIG'] ?? inCheckout('deploy/alertmanager/alertmanager.yml')}`,
        `--storage.path=${dataOf('alertmanager')}`,
        `--web.listen-address=${alertmanager}`,
        '--cluster.listen-address=',
      ],
      environment,
      healthUrl: `http://${alertmanager}/-/ready`,
      directories: [dataOf('alertmanager')],
    },
    {
      name: 'jaeger',
      command: binaryOf(binaries, 'jaeger'),
      arguments: ['--config', inCheckout('deploy/jaeger/config.yaml')],
      environment: {
        LOOPWATCH_JAEGER_OTLP_ENDPOINT: jaegerOtlp,
        LOOPWATCH_JAEGER_QUERY_ENDPOINT: `127.0.0.1:${ports.jaegerQuery}`,
        LOOPWATCH_JAEGER_QUERY_GRPC_ENDPOINT: `127.0.0.1:${ports.jaegerQueryGrpc}`,
        LOOPWATCH_JAEGER_HEALTH_ENDPOINT: `127.0.0.1:${ports.jaegerHealth}`,
        LOOPWATCH_JAEGER_STORAGE_DIR: dataOf('jaeger'),
        LOOPWATCH_JAEGER_UI_CONFIG: inCheckout('deploy/jaeger/ui.js'),
        LOOPWATCH_PROMETHEUS_URL: `http://${prometheus}`,
        ...environment,
      },
      healthUrl: `http://127.0.0.1:${ports.jaegerHealth}/status`,
      directories: [path.join(dataOf('jaeger'), 'keys'), path.join(dataOf('jaeger'), 'values')],
    },
    {
      name: 'collector',
      command: binaryOf(binaries, 'otelcol'),
      arguments: ['--config', inCheckout('otel-collector-config.yaml')],
      environment: {
        LOOPWATCH_COLLECTOR_OTLP_HTTP_ENDPOINT: `127.0.0.1:${ports.otlpHttp}`,
        LOOPWATCH_COLLECTOR_OTLP_GRPC_ENDPOINT: `127.0.0.1:${ports.otlpGrpc}`,
        LOOPWATCH_COLLECTOR_HEALTH_ENDPOINT: `127.0.0.1:${ports.collectorHealth}`,
        LOOPWATCH_COLLECTOR_STORAGE_DIR: dataOf('collector'),
        LOOPWATCH_JAEGER_OTLP_ENDPOINT: jaegerOtlp,
        LOOPWATCH_PROMETHEUS_OTLP_ENDPOINT: `http://${prometheus}/api/v1/otlp`,
        ...environment,
      },
      healthUrl: `http://127.0.0.1:${ports.collectorHealth}/`,
      directories: [dataOf('collector')],
    },
  ];
}

/** @param {string} file */
function inCheckout(file) {
  return path.join(rootDirectory, file);
}

/**
 * @param {Record<string, string>} binaries
 * @param {string} name
 */
function binaryOf(binaries, name) {
  const file = binaries[name];
  if (file === undefined) throw new Error(`Expected a built ${name}, got ${Object.keys(binaries).join(', ')}.`);
  return file;
}

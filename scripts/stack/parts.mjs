/**
 * A program of the native stack, with the Go module that builds it and the binaries that result.
 * @typedef {object} Part
 * @property {string} name
 * @property {string} title
 * @property {string} moduleDirectory from the root of the checkout
 * @property {readonly string[]} packages
 * @property {readonly string[]} tags
 * @property {readonly string[]} binaries
 * @property {string} [linkerFlags]
 * @property {{ readonly module: string, readonly files: readonly string[] }} [placeholders] files that a module embeds and
 *   its release does not contain, as the pages of Alertmanager: empty ones are built in
 * @property {boolean} [isStatic] built with `CGO_ENABLED=0`, as the projects release them
 */

/** @typedef {Part & { name: import('./configuration.mjs').ProgramName }} StackPart */

/**
 * Of the stack and of the chart.
 * @type {StackPart}
 */
export const collectorPart = Object.freeze({
  name: 'collector',
  title: 'OpenTelemetry Collector',
  moduleDirectory: 'deploy/collector/native',
  packages: ['.'],
  tags: [],
  binaries: ['otelcol'],
});

/**
 * Versions stand in the modules' go.mod; a test compares them with the image versions in .env.
 * @type {readonly StackPart[]}
 */
export const parts = Object.freeze([
  collectorPart,
  {
    name: 'jaeger',
    title: 'Jaeger',
    moduleDirectory: 'deploy/jaeger/native',
    packages: ['github.com/jaegertracing/jaeger/cmd/jaeger'],
    tags: [],
    binaries: ['jaeger'],
  },
  {
    name: 'prometheus',
    title: 'Prometheus',
    moduleDirectory: 'deploy/prometheus/native',
    packages: ['github.com/prometheus/prometheus/cmd/prometheus', 'github.com/prometheus/prometheus/cmd/promtool'],
    tags: ['remove_all_sd'],
    binaries: ['prometheus', 'promtool'],
  },
  {
    name: 'alertmanager',
    title: 'Alertmanager',
    moduleDirectory: 'deploy/alertmanager/native',
    packages: ['github.com/prometheus/alertmanager/cmd/alertmanager', 'github.com/prometheus/alertmanager/cmd/amtool'],
    tags: [],
    binaries: ['alertmanager', 'amtool'],
    placeholders: {
      module: 'github.com/prometheus/alertmanager',
      files: ['ui/app/dist/elm/index.html', 'ui/app/dist/mantine/index.html'],
    },
  },
]);

/**
 * Not part of the stack: the tests validate docker-compose.yml with it on machines without Docker.
 * @type {Part}
 */
export const composePart = Object.freeze({
  name: 'compose',
  title: 'Docker Compose',
  moduleDirectory: 'packages/e2e/compose-native',
  packages: ['github.com/docker/compose/v5/cmd'],
  tags: [],
  binaries: ['docker-compose'],
});

/**
 * Not part of the stack: the tests check the workflows in .github with it.
 * @type {Part}
 */
export const actionlintPart = Object.freeze({
  name: 'actionlint',
  title: 'actionlint',
  moduleDirectory: 'packages/e2e/actionlint-native',
  packages: ['github.com/rhysd/actionlint/cmd/actionlint'],
  tags: [],
  binaries: ['actionlint'],
});

/**
 * Not part of the stack: the tests lint, render and validate the chart in deploy/kubernetes with it.
 * @type {Part}
 */
export const helmPart = Object.freeze({
  name: 'helm',
  title: 'Helm',
  moduleDirectory: 'packages/e2e/helm-native',
  packages: ['helm.sh/helm/v4/cmd/helm'],
  tags: [],
  binaries: ['helm'],
});

/**
 * Not part of the stack: the collector's own load generator.
 * @type {Part}
 */
export const telemetrygenPart = Object.freeze({
  name: 'telemetrygen',
  title: 'telemetrygen',
  moduleDirectory: 'packages/e2e/telemetrygen-native',
  packages: ['github.com/open-telemetry/opentelemetry-collector-contrib/cmd/telemetrygen'],
  tags: [],
  binaries: ['telemetrygen'],
});

/**
 * Not part of the stack: the tests send metrics to it and evaluate the rules in it.
 * @type {Part}
 */
export const mimirPart = Object.freeze({
  name: 'mimir',
  title: 'Mimir',
  moduleDirectory: 'packages/e2e/mimir-native',
  packages: ['github.com/grafana/mimir/cmd/mimir'],
  tags: ['netgo', 'stringlabels'],
  binaries: ['mimir'],
});

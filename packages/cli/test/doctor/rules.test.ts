import { readFile } from 'node:fs/promises';

import { describe, expect, test } from '@jest/globals';

import { examine, rules } from '../../src/cli/doctor/diagnose.js';
import type { ExporterAnswer, Facts, PackageCopy, ProcessFacts } from '../../src/cli/doctor/facts.js';
import { observationsOf } from '../../src/cli/doctor/observations.js';

function copy(name: string, version: string, usedBy = 'the application'): PackageCopy {
  return { name, version, directory: `/app/node_modules/${name}@${version}`, usedBy };
}

const INSTRUMENTATION = copy('@loopwatch/instrumentation-event-loop', '0.1.0');
const API = copy('@opentelemetry/api', '1.10.0');
const BASE = copy('@opentelemetry/instrumentation', '0.301.0');
const SDK = copy('@opentelemetry/sdk-node', '0.301.0');
const PROCESS: ProcessFacts = {
  pid: 42,
  command: 'node app.js',
  isNode: true,
  isWatched: true,
  refusal: undefined,
  hasSourceMap: false,
};
const SYSTEM = { hasProc: true, hasSchedstat: true, hasSyscall: true, cpuQuota: undefined };

/** A set-up in which nothing is wrong, but for the overrides. */
function facts(overrides: Partial<Facts> = {}): Facts {
  return {
    target: { directory: '/app', process: undefined },
    platform: 'linux',
    loopwatchVersion: '0.1.0',
    nodeVersion: 'v24.21.0',
    hasPlugAndPlay: false,
    packages: [INSTRUMENTATION, API, BASE, SDK],
    env: {},
    flags: [],
    configurationWarnings: [],
    missingFiles: [],
    inspector: { port: 9229, isOpen: false, takenBy: undefined },
    system: SYSTEM,
    exporter: answering({ kind: 'status', status: 200, server: undefined, ms: 3 }),
    clock: { stepMs: 0, skewMs: 400 },
    ...overrides,
  };
}

function answering(answer: ExporterAnswer): Facts['exporter'] {
  return { url: 'http://localhost:4318/v1/traces', protocol: 'http/protobuf', variable: undefined, answer };
}

function ofProcess(overrides: Partial<ProcessFacts>): Partial<Facts> {
  return { target: { directory: '/app', process: { ...PROCESS, ...overrides } } };
}

const broken: readonly (readonly [rule: string, overrides: Partial<Facts>, inSummary: string])[] = [
  [
    'node-not-supported',
    { nodeVersion: 'v18.20.8', packages: [INSTRUMENTATION, API, copy(SDK.name, '0.223.0')] },
    'v18.20.8',
  ],
  [
    'node-not-supported',
    { nodeVersion: 'v20.5.1', packages: [INSTRUMENTATION, API, copy(SDK.name, '0.223.0')] },
    'v20.5.1',
  ],
  ['instrumentation-not-installed', { packages: [API] }, 'cannot be resolved'],
  ['sdk-not-found', { packages: [INSTRUMENTATION, API, BASE] }, 'No OpenTelemetry SDK'],
  ['sdk-needs-newer-node', { nodeVersion: 'v20.20.2' }, '0.301.0 needs Node.js 22.15'],
  ['version-not-supported', { packages: [INSTRUMENTATION, copy(API.name, '1.8.0'), BASE, SDK] }, '1.8.0'],
  ['version-not-supported', { packages: [INSTRUMENTATION, API, copy(BASE.name, '0.57.2'), SDK] }, '0.57.2'],
  [
    'two-copies',
    { packages: [INSTRUMENTATION, API, BASE, SDK, copy(API.name, '1.9.0', '@fastify/otel')] },
    '1.10.0 (of the application), 1.9.0 (of @fastify/otel)',
  ],
  ['configuration-warning', { configurationWarnings: ['Expected more.'] }, 'Expected more.'],
  ['unknown-variable', { env: { LOOPWATCH_BLOCK_THRESHOLD_MS: '50' } }, 'LOOPWATCH_BLOCK_THRESHOLD_MS'],
  ['sdk-disabled', { env: { OTEL_SDK_DISABLED: 'TRUE' } }, 'nothing is exported'],
  ['traces-not-exported', { env: { OTEL_TRACES_EXPORTER: 'none' } }, 'no span is exported'],
  ['watchdog-off', { env: { LOOPWATCH_WATCHDOG: 'false' } }, 'no stack'],
  ['sampler-drops-all', { env: { OTEL_TRACES_SAMPLER: 'parentbased_always_off' } }, 'no span'],
  ['sampler-drops-all', { env: { OTEL_TRACES_SAMPLER: 'traceidratio', OTEL_TRACES_SAMPLER_ARG: '0' } }, 'no span'],
  ['endpoint-not-a-url', { env: { OTEL_EXPORTER_OTLP_ENDPOINT: 'collector:4318' } }, 'collector:4318'],
  ['endpoint-has-signal-path', { env: { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://c:4318/v1/traces' } }, 'appends'],
  ['protocol-unknown', { env: { OTEL_EXPORTER_OTLP_PROTOCOL: 'http' } }, '"http"'],
  ['protocol-and-port-disagree', { env: { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://c:4317' } }, 'OTLP/gRPC'],
  ['hangs-need-http', { env: { OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' } }, 'hangs are not reported'],
  ['old-name-of-configuration-file', { env: { OTEL_EXPERIMENTAL_CONFIG_FILE: 'otel.yaml' } }, 'OTEL_CONFIG_FILE'],
  ['file-not-found', { missingFiles: [{ variable: 'OTEL_CONFIG_FILE', path: 'otel.yml' }] }, 'otel.yml'],
  ['watchdog-not-permitted', { flags: ['--permission', '--allow-worker'] }, '--allow-inspector'],
  ['signal-disabled', { flags: ['--disable-sigusr1'] }, 'dump'],
  ['inspector-open-to-network', { flags: ['--inspect=0.0.0.0:9229'] }, '0.0.0.0'],
  ['inspector-port-taken', { inspector: { port: 9229, isOpen: false, takenBy: 'process 7 (node)' } }, 'process 7'],
  ['process-cannot-be-asked', ofProcess({ refusal: { problem: 'Expected x', advice: 'Do y.' } }), 'Expected x'],
  ['process-not-instrumented', ofProcess({ isWatched: false }), 'Nothing shows'],
  ['source-maps-off', { ...ofProcess({ hasSourceMap: true }), env: { LOOPWATCH_SOURCE_MAPS: 'false' } }, 'built file'],
  ['environment-not-readable', { ...ofProcess({}), env: undefined }, 'cannot be read'],
  ['thread-times-not-readable', { system: { ...SYSTEM, hasSchedstat: false } }, 'schedstat'],
  ['thread-times-not-readable', { system: { ...SYSTEM, hasProc: false, hasSchedstat: false } }, 'no /proc'],
  ['idle-threads-not-visible', { system: { ...SYSTEM, hasSyscall: false } }, 'syscall'],
  ['cpu-quota-below-one', { system: { ...SYSTEM, cpuQuota: 0.5 } }, '0.5 CPU'],
  ['exporter-not-reachable', { exporter: answering({ kind: 'error', reason: 'ECONNREFUSED' }) }, 'ECONNREFUSED'],
  ['exporter-refuses', { exporter: answering({ kind: 'status', status: 404, server: 'nginx', ms: 1 }) }, '404 (nginx)'],
  ['clock-skew', { clock: { stepMs: 0, skewMs: -61_000 } }, '61 s behind'],
  ['clock-steps', { clock: { stepMs: 3000, skewMs: undefined } }, '3000 ms'],
];

describe('the rules of loopwatch doctor', () => {
  test('find nothing in a good set-up', () => {
    expect(examine(facts())).toEqual([]);
  });

  test.each(broken.map(([rule, overrides, inSummary]) => [rule, inSummary, overrides] as const))(
    '%s is the one finding: %s',
    (rule, inSummary, overrides) => {
      const findings = examine(facts(overrides));
      expect(findings.map((finding) => finding.rule)).toEqual([rule]);
      expect(findings[0]!.summary).toContain(inSummary);
      expect(findings[0]!.remedy).not.toBe('');
    },
  );

  test('take two patches of the base class, as npm installs them, for no fault, but two releases', () => {
    const beside = (version: string): string[] => {
      const packages = [INSTRUMENTATION, API, BASE, SDK, copy(BASE.name, version, SDK.name)];
      return examine(facts({ packages })).map(({ rule }) => rule);
    };
    const [major, minor, patch] = BASE.version.split('.').map(Number);
    expect(beside(`${major}.${minor}.${patch! + 1}`)).toEqual([]);
    expect(beside(`${major}.${minor! - 1}.${patch}`)).toEqual(['two-copies']);
  });

  test('are all tested here, and have names of their own', () => {
    const names = rules.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
    expect(names.filter((name) => !broken.some(([tested]) => tested === name))).toEqual([]);
  });

  test('say of a process that is no Node.js only that it cannot be asked', () => {
    const refusal = { problem: 'Expected a Node.js process, found python', advice: '' };
    const findings = examine(facts({ packages: [], ...ofProcess({ isNode: false, isWatched: false, refusal }) }));
    expect(findings.map((finding) => finding.rule)).toEqual(['process-cannot-be-asked']);
  });

  test('propose no attach to a process that cannot be asked', () => {
    const refusal = { problem: 'Expected a running process, found one that is stopped', advice: 'Let it continue.' };
    const findings = examine(facts(ofProcess({ isWatched: false, refusal })));
    expect(findings.map((finding) => finding.remedy).join()).not.toContain('loopwatch attach');
  });

  test.each([
    [undefined, 'correct OTEL_EXPORTER_OTLP_ENDPOINT, the base URL without /v1/traces'],
    ['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT', 'correct OTEL_EXPORTER_OTLP_TRACES_ENDPOINT, the whole URL with /v1/traces'],
  ])('name the variable to correct where the one that has named the endpoint is %s', (variable, remedy) => {
    const refused = answering({ kind: 'status', status: 405, server: undefined, ms: 1 })!;
    const [finding] = examine(facts({ exporter: { ...refused, variable } }));
    expect(finding!.remedy).toContain(remedy);
  });

  test.each([
    ['DEPTH_ZERO_SELF_SIGNED_CERT', 'OTEL_EXPORTER_OTLP_CERTIFICATE'],
    ['UNABLE_TO_GET_ISSUER_CERT_LOCALLY', 'OTEL_EXPORTER_OTLP_CERTIFICATE'],
    ['ERR_TLS_CERT_ALTNAME_INVALID', 'a name that the certificate has'],
    ['CERT_HAS_EXPIRED', 'Renew the certificate'],
    ['ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED', 'OTEL_EXPORTER_OTLP_CLIENT_CERTIFICATE'],
    ['EPROTO', 'http://'],
    ['ECONNRESET', 'https://'],
    ['HPE_INVALID_CONSTANT', 'OTEL_EXPORTER_OTLP_PROTOCOL=grpc'],
    ['ENOTFOUND', 'Correct the name'],
    ['ECONNREFUSED', 'Start the receiver'],
  ])('do not have a receiver started that is there: %s', (reason, remedy) => {
    const [finding] = examine(facts({ exporter: answering({ kind: 'error', reason }) }));
    expect(finding!.remedy).toContain(remedy);
    expect(finding!.remedy.includes('Start the receiver')).toBe(reason === 'ECONNREFUSED');
  });

  test('say nothing of the variables of exporters where a file has the exporters', () => {
    const env = {
      OTEL_CONFIG_FILE: 'otel.yml',
      OTEL_TRACES_EXPORTER: 'none',
      OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc',
    };
    const all = facts({ env, exporter: undefined });
    expect(examine(all)).toEqual([]);
    expect(observationsOf(all)).toContainEqual({ label: 'Exporter', text: 'that of OTEL_CONFIG_FILE, not asked' });
  });

  test('find nothing where a fact could not be collected', () => {
    const unknown = { nodeVersion: undefined, inspector: undefined, system: undefined, exporter: undefined };
    expect(examine(facts({ ...unknown, env: undefined, clock: { stepMs: 0, skewMs: undefined } }))).toEqual([]);
  });

  test('do not ask for files of Linux on other systems', () => {
    const none = { hasProc: false, hasSchedstat: false, hasSyscall: false, cpuQuota: undefined };
    expect(examine(facts({ platform: 'darwin', system: none }))).toEqual([]);
  });

  test('do not miss packages under Plug and Play, which has no node_modules', () => {
    expect(examine(facts({ packages: [], hasPlugAndPlay: true }))).toEqual([]);
  });

  test('propose the variable that was meant', () => {
    const [finding] = examine(facts({ env: { LOOPWATCH_HANG_THRESHOLD: '1000' } }));
    expect(finding!.remedy).toContain('LOOPWATCH_HANG_THRESHOLD_MS');
  });

  test('know every variable that the instrumentation reads, also in a pod that gets it from outside', async () => {
    const root = new URL('../../../../', import.meta.url);
    const sources = [
      'packages/instrumentation-event-loop/src/config/options.ts',
      'packages/instrumentation-event-loop/src/config/environment.ts',
      'packages/instrumentation-event-loop/src/export/hang-destination.ts',
      'packages/instrumentation-event-loop/src/registration/sdk-notices.ts',
      'packages/instrumentation-event-loop/src/registration/injected-sdk.ts',
      'deploy/kubernetes/injection/image/autoinstrumentation.js',
      'deploy/kubernetes/injection/image/sdk.js',
    ];
    const text = await Promise.all(sources.map((name) => readFile(new URL(name, root), 'utf8')));
    const names = [...new Set(text.join('').match(/LOOPWATCH_[A-Z_]+/g))];
    expect(names.length).toBeGreaterThan(9);
    expect(examine(facts({ env: Object.fromEntries(names.map((name) => [name, '1'])) }))).toEqual([]);
  });
});

test('what is shown contains no secret', () => {
  const env = {
    OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer%20t0ken',
    OTEL_EXPORTER_OTLP_ENDPOINT: 'http://user:pa55@collector:4318',
    OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'https://collector/in?api_key=k3y',
    OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: 'user:w0rd@collector:4318',
    OTEL_RESOURCE_ATTRIBUTES: 'owner=s3cret',
    OTEL_SERVICE_NAME: 'what? shop@eu',
  };
  const all = facts({ env });
  const shown = JSON.stringify([observationsOf(all), examine(all)]);
  for (const text of ['http://collector:4318', 'https://collector/in?…', 'what? shop@eu'])
    expect(shown).toContain(text);
  for (const secret of ['t0ken', 'pa55', 'k3y', 'w0rd', 's3cret']) expect(shown).not.toContain(secret);
});

test.each([
  [{ isOpen: true, takenBy: 'process 42 (node app.js)' }, 'open on port 9229'],
  [{ isOpen: false, takenBy: 'process 7 (node)' }, 'port 9229 taken by process 7 (node)'],
  [{ isOpen: false, takenBy: undefined }, 'port 9229 free'],
])('the inspector %j is shown as %j', (inspector, text) => {
  expect(observationsOf(facts({ inspector: { port: 9229, ...inspector } }))).toContainEqual({
    label: 'Inspector',
    text,
  });
});

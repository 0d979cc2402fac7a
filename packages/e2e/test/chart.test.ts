import { spawnSync } from 'node:child_process';
import { lstatSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { parse } from 'yaml';

import { rootDirectory } from '../../../scripts/lib/paths.mjs';
import { ensureBuilt } from '../../../scripts/stack/build.mjs';
import { collectorPart, helmPart, parts } from '../../../scripts/stack/parts.mjs';
import { environmentOf, podsOf } from '../src/chart/pods.ts';
import { chartDirectory, find, render, renderText, valuesFiles, type Manifest } from '../src/chart/render.ts';
import { validateManifest } from '../src/chart/schemas.ts';
import { runCommand, type CommandResult } from '../src/commands.ts';
import { linkOfBlock, linkTo, uiSource } from '../src/jaeger-page.ts';

// From PyPI. In CI it must be there: a test that is left out shows nothing.
const canValidate = process.env['CI'] === 'true' || spawnSync('kubernetes-validate', ['--version']).error === undefined;
const validator = canValidate ? test : test.skip;
let binaries: Record<string, string>;
let directory: string;
const servers = parts.filter(({ name }) => name === 'jaeger' || name === 'alertmanager');

beforeAll(async () => {
  const log = (line: string) => void process.stderr.write(`${line}\n`);
  binaries = await ensureBuilt([helmPart, collectorPart, ...servers], log);
  directory = mkdtempSync(path.join(tmpdir(), 'loopwatch-chart-'));
}, 1_800_000);

afterAll(() => {
  rmSync(directory, { recursive: true, force: true });
});

const rendered = (values: string, ...settings: string[]) => render(binaries['helm']!, values, ...settings);

/** `validate` of the collector or Jaeger for the configuration in a ConfigMap, with the environment of its pod. */
function validateConfig(
  binary: string,
  manifests: Manifest[],
  kind: string,
  name: string,
  edit = (text: string) => text,
) {
  const pod = podsOf(manifests).find(({ owner }) => owner === `${kind} ${name}`)!.pod;
  const file = path.join(directory, `${name}.yaml`);
  writeFileSync(file, edit(find(manifests, 'ConfigMap', name).data!['config.yaml']!));
  const environment = { ...environmentOf(pod), LOOPWATCH_COLLECTOR_STORAGE_DIR: directory };
  return runCommand(binaries[binary]!, ['validate', '--config', file], environment);
}

describe.each(valuesFiles)('the chart with values/%s.yaml', (values) => {
  test('passes helm lint', () => {
    const file = path.join(chartDirectory, `values/${values}.yaml`);
    const { exitCode, output } = runCommand(binaries['helm']!, ['lint', '--strict', chartDirectory, '-f', file]);
    expect([exitCode, output]).toEqual([0, expect.stringContaining('0 chart(s) failed')]);
  });

  test('renders only objects that the schemas of Kubernetes and the Prometheus Operator accept', async () => {
    const manifests = rendered(values);
    expect(manifests.length).toBeGreaterThan(12);
    for (const manifest of manifests) await validateManifest(manifest);
  });

  // These schemas refuse unknown names, which those of npm do not.
  validator('has no field that Kubernetes does not know, where kubernetes-validate is installed', () => {
    const file = path.join(directory, 'manifests.yaml');
    const known = rendered(values).filter(({ apiVersion }) => !apiVersion.includes('monitoring.coreos.com'));
    writeFileSync(file, known.map((manifest) => `---\n${JSON.stringify(manifest)}\n`).join(''));
    expect(runCommand('kubernetes-validate', ['--strict', file])).toMatchObject({ exitCode: 0 });
  });

  test('runs every pod without root, with a read-only file system, without capabilities, with bounds', () => {
    for (const { owner, pod } of podsOf(rendered(values))) {
      expect([owner, pod.securityContext]).toEqual([
        owner,
        expect.objectContaining({ runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } }),
      ]);
      for (const container of pod.containers) {
        expect(container.securityContext).toEqual({
          allowPrivilegeEscalation: false,
          readOnlyRootFilesystem: true,
          capabilities: { drop: ['ALL'] },
        });
        expect(container.resources).toEqual({
          requests: { cpu: expect.anything(), memory: expect.anything() },
          limits: { memory: expect.anything() },
        });
      }
    }
  });

  test('gives only the agents a right, to read pods', () => {
    const manifests = rendered(values);
    const roles = manifests.filter(({ kind }) => kind.endsWith('Role'));
    expect(roles.map(({ rules }) => rules)).toEqual([
      [{ apiGroups: [''], resources: ['pods'], verbs: ['get', 'list', 'watch'] }],
    ]);
    const withToken = podsOf(manifests).filter(({ pod }) => pod.automountServiceAccountToken !== false);
    expect(withToken.map(({ owner }) => owner)).toEqual(['DaemonSet lw-agent']);
  });

  test('has a configuration of the gateways that the collector accepts', () => {
    expect(validateConfig('otelcol', rendered(values), 'StatefulSet', 'lw-gateway')).toEqual({
      exitCode: 0,
      output: '',
    });
  });
});

describe('the agents', () => {
  test.each(['small', 'cassandra-mimir'])(
    'have a configuration that the collector accepts with values/%s.yaml',
    (values) => {
      const result = validateConfig('otelcol', rendered(values), 'DaemonSet', 'lw-agent');
      expect(result).toEqual({ exitCode: 0, output: '' });
    },
  );

  // The exporter cannot be built outside of the contrib image. Everything else of this configuration is checked.
  test('have with load_balancing a configuration in which only that exporter is unknown to the collector', () => {
    const asOtlp = (text: string) => {
      const config = parse(text) as { exporters: Record<string, Record<string, unknown>> };
      for (const [name, exporter] of Object.entries(config.exporters)) {
        expect(Object.keys(exporter).sort()).toEqual([
          'protocol',
          'resolver',
          'retry_on_failure',
          'routing_key',
          'sending_queue',
        ]);
        const {
          protocol,
          resolver,
          routing_key: key,
          ...kept
        } = exporter as {
          protocol: { otlp: object };
          resolver: { dns: { hostname: string; port: string } };
          routing_key: string;
        };
        expect(key).toBe(name === 'load_balancing/traces' ? 'traceID' : 'service');
        config.exporters[name] = {
          ...kept,
          ...protocol.otlp,
          endpoint: `${resolver.dns.hostname}:${resolver.dns.port}`,
        };
      }
      return JSON.stringify(config).replaceAll('load_balancing/', 'otlp_grpc/');
    };
    const result = validateConfig('otelcol', rendered('load-balancing'), 'DaemonSet', 'lw-agent', asOtlp);
    expect(result).toEqual({ exitCode: 0, output: '' });
  });

  test('take the instance id and the disk queue from the configuration of the project', () => {
    const base = parse(readFileSync(path.join(rootDirectory, 'otel-collector-config.yaml'), 'utf8')) as Config;
    const agent = parse(find(rendered('small'), 'ConfigMap', 'lw-agent').data!['config.yaml']!) as Config;
    expect(agent.processors['transform/instance']).toEqual(base.processors['transform/instance']);
    expect(agent.extensions['file_storage']).toEqual(base.extensions['file_storage']);
  });
});

describe('Jaeger', () => {
  test.each(['small', 'cassandra-mimir'])('accepts its configuration with values/%s.yaml', (values) => {
    expect(validateConfig('jaeger', rendered(values), 'StatefulSet', 'lw-jaeger').exitCode).toBe(0);
  });

  const ui = (manifests: Manifest[]) => find(manifests, 'ConfigMap', 'lw-jaeger').data!['ui.js']!;

  test('has the page of the project', () => {
    expect(ui(rendered('small')).trim()).toBe(uiSource.trim());
  });

  test('links to the address in grafana.url, as alerts do, and restarts for a new one', () => {
    const manifests = rendered('small', 'grafana.url=https://example.com/grafana/');
    expect(linkOfBlock(ui(manifests))).toBe(linkTo('https://example.com/grafana'));
    expect(ui(manifests)).not.toContain('$');
    const prometheus = podsOf(manifests).find(({ owner }) => owner === 'StatefulSet lw-prometheus')!.pod;
    expect(environmentOf(prometheus)['LOOPWATCH_GRAFANA_URL']).toBe('https://example.com/grafana/');
    const checksum = (objects: Manifest[]) =>
      /checksum\/config":"\w+/.exec(JSON.stringify(find(objects, 'StatefulSet', 'lw-jaeger').spec))![0];
    expect(checksum(manifests)).not.toBe(checksum(rendered('small')));
  });
});

describe('the gateways', () => {
  const gatewayConfig = (...settings: string[]) =>
    parse(find(rendered('small', ...settings), 'ConfigMap', 'lw-gateway').data!['config.yaml']!) as Config;

  test('have the pipelines, processors and exporters of the project, in their order', () => {
    const base = parse(readFileSync(path.join(rootDirectory, 'otel-collector-config.yaml'), 'utf8')) as Config;
    const gateway = gatewayConfig();
    expect(gateway.service.pipelines).toEqual(base.service.pipelines);
    expect(gateway.connectors).toEqual(base.connectors);
    const { tls: _, ...exporter } = gateway.exporters['otlp_grpc/jaeger_blocks'] as { tls: unknown };
    expect({ ...exporter, tls: { insecure: true } }).toEqual(base.exporters['otlp_grpc/jaeger_blocks']);
  });

  test.each([
    [100, 30, 4500, 256 + 176],
    [1000, 60, 90000, 256 + 3516],
  ])(
    'hold the traces of %i a second for %i s: num_traces %i, %i MiB',
    (tracesPerSecond, wait, numTraces, memoryMiB) => {
      const settings = [`traffic.tracesPerSecond=${tracesPerSecond}`, `sampling.decisionWaitSeconds=${wait}`];
      expect(gatewayConfig(...settings).processors['tail_sampling']).toMatchObject({ num_traces: numTraces });
      const pods = podsOf(rendered('small', ...settings));
      const gateway = pods.find(({ owner }) => owner === 'StatefulSet lw-gateway')!.pod;
      expect(environmentOf(gateway)['LOOPWATCH_COLLECTOR_MEMORY_LIMIT_MIB']).toBe(String(memoryMiB));
      expect(Number.parseInt(gateway.containers[0]!.resources!.limits!.memory!)).toBeGreaterThan(memoryMiB);
    },
  );

  test('have queues of 38 % of their volume together, in bytes, because an entry takes up to 2.6 times its size on a disk', () => {
    const settings = ['gateway.queue.size=10Gi', 'agent.queueSize=512Mi'];
    const { pod } = podsOf(rendered('small', ...settings)).find(({ owner }) => owner === 'StatefulSet lw-gateway')!;
    const sizes = ['TRACES', 'BLOCKS', 'METRICS'].map((queue) =>
      Number(environmentOf(pod)[`LOOPWATCH_COLLECTOR_${queue}_QUEUE_BYTES`]),
    );
    expect(sum(sizes) / (10 * 2 ** 30)).toBeCloseTo(0.38, 6);
    const exporters = Object.values(gatewayConfig(...settings).exporters) as QueueOwner[];
    expect(exporters.map(({ sending_queue: { sizer } }) => sizer)).toEqual(['bytes', 'bytes', 'bytes']);
  });

  test.each([
    ['small', 2],
    ['cassandra-mimir', 9],
  ])('and the agents too, with values/%s.yaml in %i queues', (values, queues) => {
    const { exporters, service } = parse(
      find(rendered(values, 'agent.queueSize=512Mi'), 'ConfigMap', 'lw-agent').data!['config.yaml']!,
    ) as Config;
    // Each signal of an exporter has a queue of its own.
    const used = Object.entries(service.pipelines).flatMap(([pipeline, settings]) =>
      (settings as { exporters: string[] }).exporters.map((name) => `${pipeline.split('/')[0]} ${name}`),
    );
    const sizes = used
      .map((each) => exporters[each.split(' ')[1]!] as QueueOwner | undefined)
      .flatMap((exporter) => (exporter === undefined ? [] : [exporter.sending_queue.queue_size]));
    expect(sizes).toHaveLength(queues);
    expect(sum(sizes) / (512 * 2 ** 20)).toBeCloseTo(0.38, 6);
  });

  test('need what the table in docs/kubernetes.md says', () => {
    const text = readFileSync(path.join(rootDirectory, 'docs/kubernetes.md'), 'utf8');
    const rows = [
      ...text.matchAll(/^\| +([\d,]+) \| +(\d+) \| +(\d+) \| +([\d,]+) \| +([\d,]+) MiB \| +([\d,]+) MiB \|$/gm),
    ];
    expect(rows.length).toBe(5);
    for (const [, ...cells] of rows) {
      const [traces, spans, replicas, numTraces, limit, container] = cells.map((cell) =>
        Number(cell.replaceAll(',', '')),
      );
      const manifests = rendered(
        'small',
        `traffic.tracesPerSecond=${traces},traffic.spansPerTrace=${spans},gateway.replicas=${replicas},agent.routing=static`,
      );
      const config = parse(find(manifests, 'ConfigMap', 'lw-gateway').data!['config.yaml']!) as Config;
      const { pod } = podsOf(manifests).find(({ owner }) => owner === 'StatefulSet lw-gateway')!;
      expect(config.processors['tail_sampling']).toMatchObject({ num_traces: numTraces });
      expect(environmentOf(pod)['LOOPWATCH_COLLECTOR_MEMORY_LIMIT_MIB']).toBe(String(limit));
      expect(pod.containers[0]!.resources!.limits!.memory).toBe(`${container}Mi`);
    }
  });

  test.each([
    ['agent.routing=single,gateway.replicas=2', 'more than one gateway, got single'],
    ['agent.routing=static,gateway.autoscaling.enabled=true', 'a fixed number of gateways'],
    ['agent.enabled=false,gateway.replicas=2', 'only agents bring the spans of a trace together'],
    ['jaeger.enabled=false', 'Expected traces.endpoint'],
    ['prometheus.enabled=false', 'Expected metrics.endpoint'],
    ['jaeger.replicas=2', 'each replica would have spans of its own'],
    ['jaeger.storage=cassandra', 'Expected jaeger.cassandra.servers'],
    ['agent.memoryLimitMiB=300', 'got 300 MiB and 256Mi'],
    [
      'agent.routing=load_balancing,gateway.autoscaling.enabled=true,gateway.autoscaling.maxReplicas=2',
      'minReplicas of at most maxReplicas, got 3 and 2',
    ],
    ['metrics.endpoint=http://mimir/otlp/v1/metrics', 'without /v1/metrics'],
  ])('refuse %s, which would lose data silently or not start', (setting, message) => {
    const { exitCode, output } = renderText(binaries['helm']!, 'small', setting);
    expect([exitCode, output]).toEqual([1, expect.stringContaining(message)]);
  });
});

describe('the values', () => {
  test.each([
    ['gateway.replica=2', "at '/gateway': additional properties 'replica' not allowed"],
    ['gateway.resources.cpu=1', "at '/gateway/resources': additional properties 'cpu' not allowed"],
    ['gateway.replicas=0', "at '/gateway/replicas': minimum: got 0, want 1"],
    ['agent.routing=hash', "at '/agent/routing': value must be one of 'single', 'static', 'load_balancing'"],
    ['sampling.percent=101', "at '/sampling/percent': maximum: got 101, want 100"],
    ['gateway.queue.size=ten', "at '/gateway/queue/size': 'ten' does not match pattern"],
    ['agent.queueSize=10K', "at '/agent/queueSize': '10K' does not match pattern"],
    ['gateway.queue.size=null', "at '/gateway/queue': missing property 'size'"],
    ['jaeger=null', "at '': missing property 'jaeger'"],
    ['grafana.url=grafana.example.com', "at '/grafana/url': 'grafana.example.com' does not match pattern"],
    ['grafana.url=https://grafana/$1', "at '/grafana/url': 'https://grafana/$1' does not match pattern"],
    ['traces.endpoint=tempo', "at '/traces/endpoint': 'tempo' does not match pattern"],
    ['metrics.endpoint=mimir:9009', "at '/metrics/endpoint': 'mimir:9009' does not match pattern"],
    ['prometheus.retention=long', "at '/prometheus/retention': 'long' does not match pattern"],
    ['jaeger.retentionHours=0', "at '/jaeger/retentionHours': minimum: got 0, want 1"],
  ])('are refused by the schema, with their place and what is wrong: %s', (setting, message) => {
    const { exitCode, output } = renderText(binaries['helm']!, 'small', setting);
    expect([exitCode, output]).toEqual([1, expect.stringContaining(message)]);
  });

  test.each(['gateway.queue.size=1.5Gi', 'agent.queueSize=1000k', 'agent.resources.limits.memory=268435456'])(
    'are accepted in each form of a quantity: %s',
    (setting) => {
      expect(renderText(binaries['helm']!, 'small', setting).exitCode).toBe(0);
    },
  );

  test('have the versions of the images in .env', () => {
    const environment = readFileSync(path.join(rootDirectory, '.env'), 'utf8');
    const version = (name: string) => new RegExp(`^${name}_VERSION=(.+)$`, 'm').exec(environment)![1]!;
    const values = parse(readFileSync(path.join(chartDirectory, 'values.yaml'), 'utf8')) as Record<
      'jaeger' | 'prometheus' | 'alertmanager' | 'test',
      { image: { tag: string } }
    >;
    const chart = parse(readFileSync(path.join(chartDirectory, 'Chart.yaml'), 'utf8')) as { appVersion: string };
    expect(chart.appVersion).toBe(version('COLLECTOR'));
    expect(values.jaeger.image.tag).toBe(version('JAEGER'));
    expect(values.prometheus.image.tag).toBe(version('PROMETHEUS'));
    expect(values.alertmanager.image.tag).toBe(version('ALERTMANAGER'));
    expect(values.test.image.tag).toBe(version('BUSYBOX'));
  });
});

describe('the pods', () => {
  const podOf = (owner: string, ...settings: string[]) =>
    podsOf(rendered('small', ...settings)).find((each) => each.owner === owner)!.pod;
  const owners = [
    ['agent', 'DaemonSet lw-agent'],
    ['gateway', 'StatefulSet lw-gateway'],
    ['jaeger', 'StatefulSet lw-jaeger'],
    ['prometheus', 'StatefulSet lw-prometheus'],
  ] as const;

  test.each(owners)('of %s are placed by the values, with their annotations and environment', (component, owner) => {
    const [kind, name] = owner.split(' ') as [string, string];
    const manifests = rendered(
      'small',
      `${component}.nodeSelector={"pool":"telemetry"}`,
      `${component}.tolerations=[{"key":"telemetry","operator":"Exists"}]`,
      `${component}.affinity={"nodeAffinity":{}}`,
      `${component}.priorityClassName=high`,
      `${component}.podAnnotations={"team":"a"}`,
      `${component}.env=[{"name":"HTTPS_PROXY","value":"http://proxy:3128"}]`,
      'imagePullSecrets=[{"name":"registry"}]',
    );
    const { pod } = podsOf(manifests).find((each) => each.owner === owner)!;
    expect(pod).toMatchObject({
      nodeSelector: { pool: 'telemetry' },
      tolerations: [{ key: 'telemetry', operator: 'Exists' }],
      affinity: { nodeAffinity: {} },
      priorityClassName: 'high',
      imagePullSecrets: [{ name: 'registry' }],
    });
    expect(environmentOf(pod)).toMatchObject({ HTTPS_PROXY: 'http://proxy:3128' });
    expect(find(manifests, kind, name).spec!['template']).toMatchObject({ metadata: { annotations: { team: 'a' } } });
  });

  test('of a test run where agents run, because their Service leads to the agent of the same node', () => {
    expect(podOf('Pod lw-test', 'agent.nodeSelector={"pool":"apps"}')).toMatchObject({
      nodeSelector: { pool: 'apps' },
    });
    expect(podOf('Pod lw-test', 'agent.nodeSelector={"pool":"apps"}', 'agent.enabled=false')).toMatchObject({
      nodeSelector: {},
    });
  });

  test('have no user in a cluster that assigns one, and still none that is root', () => {
    const settings = ['runAsUser', 'runAsGroup', 'fsGroup'].map((key) => `podSecurityContext.${key}=null`);
    for (const { pod } of podsOf(rendered('small', ...settings))) {
      expect(pod.securityContext).toEqual({ runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } });
    }
  });

  test('of the gateway have a limit of the CPU where it is wanted', () => {
    const limits = (...settings: string[]) =>
      podOf('StatefulSet lw-gateway', ...settings).containers[0]!.resources!.limits;
    expect(limits()).not.toHaveProperty('cpu');
    expect(limits('gateway.resources.cpuLimit=2')).toMatchObject({ cpu: 2, memory: '430Mi' });
  });

  test('connect to backends with the certificates of a mounted Secret, also for the metrics of the collectors themselves', () => {
    const volume = '[{"name":"ca","secret":{"secretName":"backend-ca"}}]';
    const mount = '[{"name":"ca","mountPath":"/etc/ca","readOnly":true}]';
    const settings = [
      ...['agent', 'gateway'].flatMap((name) => [`${name}.volumes=${volume}`, `${name}.volumeMounts=${mount}`]),
      'traces.tls={"insecure":false,"ca_file":"/etc/ca/ca.crt"}',
      'metrics.tls={"ca_file":"/etc/ca/ca.crt","cert_file":"/etc/ca/tls.crt","key_file":"/etc/ca/tls.key"}',
    ];
    const manifests = rendered('small', ...settings);
    for (const [name, kind] of [
      ['lw-agent', 'DaemonSet'],
      ['lw-gateway', 'StatefulSet'],
    ] as const) {
      const pod = podOf(`${kind} ${name}`, ...settings);
      expect(pod).toMatchObject({
        volumes: expect.arrayContaining([{ name: 'ca', secret: { secretName: 'backend-ca' } }]),
      });
      expect(pod.containers[0]!.volumeMounts).toContainEqual({ name: 'ca', mountPath: '/etc/ca', readOnly: true });
      expect(validateConfig('otelcol', manifests, kind, name)).toEqual({ exitCode: 0, output: '' });
      const config = parse(find(manifests, 'ConfigMap', name).data!['config.yaml']!) as Config;
      expect(JSON.stringify(config.service)).toContain(
        '"certificate":"/etc/ca/ca.crt","client_certificate":"/etc/ca/tls.crt","client_key":"/etc/ca/tls.key"',
      );
    }
  });
});

describe('the pod of helm test', () => {
  /** Runs its script with a `wget` that answers for some addresses. */
  function runScript(answers: RegExp): CommandResult {
    const programs = mkdtempSync(path.join(directory, 'programs-'));
    const wget = `#!/bin/sh\nfor address; do :; done\necho "$address" | grep -Eq '${answers.source}'\n`;
    writeFileSync(path.join(programs, 'wget'), wget, { mode: 0o755 });
    const { pod } = podsOf(rendered('small')).find(({ owner }) => owner === 'Pod lw-test')!;
    const [shell, ...words] = pod.containers[0]!.args;
    return runCommand(shell!, words, { PATH: `${programs}:${process.env['PATH']}` });
  }
  const agent = 'http://lw-agent.watch.svc:4318';
  const gateway = 'http://lw-gateway-headless.watch.svc:4318';

  test('says who has accepted the block', () => {
    expect(runScript(/./)).toEqual({ exitCode: 0, output: ` accepted by ${agent}\n accepted by ${gateway}\n` });
  });

  test('names the address that does not accept it', () => {
    expect(runScript(/agent/)).toEqual({
      exitCode: 1,
      output: ` accepted by ${agent}\nNot accepted by ${gateway}: see above why, and the logs of its pod.\n`,
    });
  });
});

describe('the names', () => {
  const agentOf = (name: string) =>
    podsOf(rendered('small', `nameOverride=${name}`)).find(({ owner }) => owner.startsWith('DaemonSet'))!.owner;

  test('are those of Services, which have no dot, for a release that has one', () => {
    expect(agentOf('team.a')).toBe('DaemonSet team-a-agent');
  });

  test('of two long releases that begin alike are not the same, and leave room for what Kubernetes appends', () => {
    const release = (end: string) => `${'long-'.repeat(10)}${end}`;
    const [first, second] = [agentOf(release('a')), agentOf(release('b'))];
    expect(first).not.toBe(second);
    expect(first).toMatch(/^DaemonSet long-[a-z-]+-[0-9a-f]{6}-agent$/);
    expect(first.length).toBeLessThanOrEqual('DaemonSet '.length + 40 + '-agent'.length);
  });
});

describe('the Alertmanager of the chart', () => {
  const examples = ['slack', 'pagerduty', 'webhook'];
  interface AlertmanagerConfig {
    readonly receivers: readonly { readonly name: string }[];
  }
  const exampleOf = (name: string) =>
    parse(
      readFileSync(path.join(rootDirectory, `deploy/alertmanager/examples/${name}.yml`), 'utf8'),
    ) as AlertmanagerConfig;
  const withReceiver = (name: string): Manifest[] => {
    const receiver = Object.fromEntries(
      Object.entries(exampleOf(name).receivers[0]!).filter(([key]) => key !== 'name'),
    );
    return rendered(
      'small',
      'alertmanager.enabled=true',
      'alertmanager.secretName=on-call',
      `alertmanager.receiver=${JSON.stringify(receiver)}`,
    );
  };

  test('is not there unless it is asked for', () => {
    expect(rendered('small').filter(({ metadata }) => metadata.name === 'lw-alertmanager')).toEqual([]);
  });

  test.each(examples)('has the configuration and the text of the project, with the receiver of %s', (name) => {
    const { data } = find(withReceiver(name), 'ConfigMap', 'lw-alertmanager');
    expect(parse(data!['alertmanager.yml']!)).toEqual(exampleOf(name));
    for (const [file, text] of Object.entries(data!)) writeFileSync(path.join(directory, file), text);
    const check = runCommand(binaries['amtool']!, ['check-config', path.join(directory, 'alertmanager.yml')]);
    expect(check).toEqual({ exitCode: 0, output: expect.stringContaining(' - 1 templates\n') });
  });

  test('gets the alerts of the Prometheus of the chart, has the secrets of the receiver, and runs as the other pods', async () => {
    const manifests = withReceiver('slack');
    const { alerting } = parse(find(manifests, 'ConfigMap', 'lw-prometheus').data!['prometheus.yml']!) as {
      readonly alerting: unknown;
    };
    const target = 'lw-alertmanager.watch.svc:9093';
    expect(alerting).toEqual({ alertmanagers: [{ static_configs: [{ targets: [target] }] }] });
    expect(find(manifests, 'Service', 'lw-alertmanager')).toBeDefined();
    expect(find(manifests, 'NetworkPolicy', 'lw-alertmanager')).toBeDefined();
    const own = manifests.filter(({ metadata }) => metadata.name === 'lw-alertmanager');
    for (const manifest of own) await validateManifest(manifest);
    const { pod } = podsOf(manifests).find(({ owner }) => owner === 'StatefulSet lw-alertmanager')!;
    expect(pod).toMatchObject({
      automountServiceAccountToken: false,
      securityContext: { runAsNonRoot: true },
      volumes: expect.arrayContaining([{ name: 'secrets', secret: { secretName: 'on-call' } }]),
    });
    expect(pod.containers[0]).toMatchObject({
      securityContext: {
        readOnlyRootFilesystem: true,
        allowPrivilegeEscalation: false,
        capabilities: { drop: ['ALL'] },
      },
      resources: { limits: { memory: expect.anything() } },
      volumeMounts: expect.arrayContaining([
        { name: 'secrets', mountPath: '/etc/alertmanager/secrets', readOnly: true },
      ]),
    });
  });

  test('refuses a receiver with a name: the routes name it', () => {
    const { exitCode, output } = renderText(
      binaries['helm']!,
      'small',
      'alertmanager.enabled=true',
      'alertmanager.receiver={"name":"other"}',
    );
    expect(exitCode).not.toBe(0);
    expect(output).toContain('/alertmanager/receiver');
  });
});

describe('the files of the chart', () => {
  test('are links to those of the project, and are in its package', () => {
    const files = readdirSync(path.join(chartDirectory, 'files'), { recursive: true, encoding: 'utf8' }).filter(
      (name) => /\.\w+$/.test(name) && name !== 'aggregation.yaml',
    );
    expect(files.length).toBeGreaterThan(5);
    expect(files.filter((name) => !lstatSync(path.join(chartDirectory, 'files', name)).isSymbolicLink())).toEqual([]);
    expect(runCommand(binaries['helm']!, ['package', chartDirectory, '-d', directory]).exitCode).toBe(0);
    const [archive] = readdirSync(directory).filter((name) => name.endsWith('.tgz'));
    const list = runCommand('tar', ['-tvzf', path.join(directory, archive!)]).output;
    for (const name of files)
      expect(list).toMatch(new RegExp(`^-.* loopwatch/files/${name.replaceAll('.', '\\.')}$`, 'm'));
  });

  test('make the same ConfigMaps and rules as their sources', () => {
    const manifests = rendered('small', 'prometheusOperator.rules=true');
    for (const name of ['event-loop-overview', 'event-loop-instance']) {
      const source = readFileSync(path.join(rootDirectory, `dashboards/${name}.json`), 'utf8');
      expect(find(manifests, 'ConfigMap', `lw-${name}`).data![`${name}.json`]).toBe(source);
    }
    const rules: unknown = parse(
      readFileSync(path.join(rootDirectory, 'deploy/prometheus/rules/event-loop.yml'), 'utf8'),
    );
    expect(find(manifests, 'PrometheusRule', 'lw').spec).toEqual(rules);
    expect(parse(find(manifests, 'ConfigMap', 'lw-prometheus-rules').data!['event-loop.yml']!)).toEqual(rules);
    const prometheus = (from: readonly Manifest[]): unknown =>
      parse(find(from, 'ConfigMap', 'lw-prometheus').data!['prometheus.yml']!);
    const { alerting, ...others } = parse(
      readFileSync(path.join(rootDirectory, 'deploy/prometheus/prometheus.yml'), 'utf8'),
    ) as { readonly alerting: unknown };
    // An Alertmanager is optional.
    expect(prometheus(manifests)).toEqual(others);
    expect(prometheus(rendered('small', 'prometheus.alertmanager=alerts.monitoring:9093'))).toEqual({
      alerting: { alertmanagers: [{ static_configs: [{ targets: ['alerts.monitoring:9093'] }] }] },
      ...others,
    });
    expect(alerting).toEqual({ alertmanagers: [{ static_configs: [{ targets: ['alertmanager:9093'] }] }] });
  });

  test('give the Prometheus of the chart the flags of the project, except for the retention', () => {
    const flags = readFileSync(path.join(rootDirectory, 'deploy/prometheus/flags'), 'utf8').trim().split('\n');
    const { pod } = podsOf(rendered('small')).find(({ owner }) => owner === 'StatefulSet lw-prometheus')!;
    expect(pod.containers[0]!.args).toEqual(expect.arrayContaining(flags));
  });
});

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

interface QueueOwner {
  readonly sending_queue: { readonly sizer: string; readonly queue_size: number };
}

interface Config {
  readonly extensions: Readonly<Record<string, unknown>>;
  readonly processors: Readonly<Record<string, unknown>>;
  readonly connectors: Readonly<Record<string, unknown>>;
  readonly exporters: Readonly<Record<string, unknown>>;
  readonly service: { readonly pipelines: Readonly<Record<string, unknown>> };
}

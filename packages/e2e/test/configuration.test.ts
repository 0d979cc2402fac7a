import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';

import { rootDirectory } from '../../../scripts/lib/paths.mjs';
import { ensureBuilt } from '../../../scripts/stack/build.mjs';
import { parts } from '../../../scripts/stack/parts.mjs';
import { runCommand } from '../src/commands.ts';

const inCheckout = (file: string): string => path.join(rootDirectory, file);
const log = (line: string): void => void process.stderr.write(`${line}\n`);

let binaries: Record<string, string>;
let directory: string;

beforeAll(async () => {
  directory = mkdtempSync(path.join(tmpdir(), 'loopwatch-configuration-'));
  binaries = await ensureBuilt(parts, log);
});

afterAll(() => {
  rmSync(directory, { recursive: true, force: true });
});

describe('the collector', () => {
  const validate = (file: string) =>
    runCommand(binaries['otelcol']!, ['validate', '--config', file], { LOOPWATCH_COLLECTOR_STORAGE_DIR: directory });

  test('accepts its configuration', () => {
    expect(validate(inCheckout('otel-collector-config.yaml'))).toEqual({ exitCode: 0, output: '' });
  });

  test.each([
    ['a component that does not exist', 'span_metrics/blocks:\n', 'spam_metrics/blocks:\n'],
    ['a misspelt key', 'series_expiration: 1h', 'series_expiry: 1h'],
    ['an error in a condition', 'kind != SPAN_KIND_SERVER', 'kind != SPAN_KIND_SERVANT'],
  ])('refuses %s', (_what, right, wrong) => {
    const text = readFileSync(inCheckout('otel-collector-config.yaml'), 'utf8');
    expect(text).toContain(right);
    const file = path.join(directory, 'broken.yaml');
    writeFileSync(file, text.replace(right, wrong));
    expect(validate(file).exitCode).not.toBe(0);
  });
});

describe('Prometheus', () => {
  const promtool = (...commandArguments: string[]) => runCommand(binaries['promtool']!, commandArguments);

  test('accepts its configuration and rules', () => {
    const { exitCode, output } = promtool('check', 'config', inCheckout('deploy/prometheus/prometheus.yml'));
    expect(output).toContain('rules found');
    expect(exitCode).toBe(0);
  });

  const ruleTests = readdirSync(path.join(import.meta.dirname, 'rules'));

  test.each(ruleTests)('fires and does not fire as %s says', (file) => {
    const { exitCode, output } = promtool('test', 'rules', path.join(import.meta.dirname, 'rules', file));
    expect(output.trim()).toBe('SUCCESS');
    expect(exitCode).toBe(0);
  });

  test('has a case in which each alert fires', () => {
    const rules = readFileSync(inCheckout('deploy/prometheus/rules/event-loop.yml'), 'utf8');
    const alerts = [...rules.matchAll(/- alert: (\w+)/g)].map(([, name]) => name!);
    const cases = ruleTests
      .map((file) => readFileSync(path.join(import.meta.dirname, 'rules', file), 'utf8'))
      .join('\n');
    expect(alerts.length).toBeGreaterThan(5);
    for (const alert of alerts) {
      expect(cases).toMatch(new RegExp(`alertname="${alert}",alertstate="firing"|alertname: ${alert}\\b`));
    }
  });
});

describe('Alertmanager', () => {
  const amtool = (...commandArguments: string[]) => runCommand(binaries['amtool']!, commandArguments);
  const folder = inCheckout('deploy/alertmanager');
  const examples = readdirSync(path.join(folder, 'examples')).map((name) => `examples/${name}`);

  /** An example takes the place of alertmanager.yml, beside the template. */
  const installed = (file: string): string => {
    const target = path.join(directory, 'alertmanager.yml');
    writeFileSync(target, readFileSync(path.join(folder, file), 'utf8'));
    const template = 'loopwatch.tmpl';
    writeFileSync(path.join(directory, template), readFileSync(path.join(folder, template), 'utf8'));
    return target;
  };

  test.each(['alertmanager.yml', ...examples])('accepts %s, with its template', (file) => {
    const { exitCode, output } = amtool('check-config', installed(file));
    expect([exitCode, output]).toEqual([0, expect.stringContaining(' - 1 templates\n')]);
  });

  test('refuses a template with an error', () => {
    const file = installed('alertmanager.yml');
    writeFileSync(path.join(directory, 'loopwatch.tmpl'), '{{ define "loopwatch.text" }}{{ range }}{{ end }}');
    expect(amtool('check-config', file).exitCode).not.toBe(0);
  });

  test('keeps a name of the application on its line, whatever it is, and in Slack it calls no one and is no link', () => {
    const hostile = '<!channel> & <https://evil|Runbook>\r\n\u2028Runbook: https://evil\u0000\u202e';
    const data = path.join(directory, 'data.json');
    const annotations = { summary: hostile, description: hostile, runbook_url: 'https://runbooks/a\nb' };
    const alert = (status: string) => ({ status, labels: {}, annotations });
    const labels = { groupLabels: { service_name: hostile }, commonLabels: { alertname: 'EventLoopHang' } };
    writeFileSync(data, JSON.stringify({ status: 'firing', alerts: [alert('firing'), alert('resolved')], ...labels }));
    const rendered = (name: string) => {
      const glob = `--template.glob=${path.join(folder, 'loopwatch.tmpl')}`;
      const text = `--template.text={{ template "${name}" . }}`;
      return amtool('template', 'render', glob, text, `--template.data=${data}`).output;
    };
    const kept = '<!channel> & <https://evil|Runbook> Runbook: https://evil ';
    const inSlack = kept.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
    for (const [part, name] of [
      ['', kept],
      ['slack.', inSlack],
    ] as const) {
      expect(rendered(`loopwatch.${part}title`)).toBe(`1 firing: EventLoopHang in ${name}`);
      const lines = [name, name, 'Runbook: https://runbooks/a b', '', `Over: ${name}`, ''];
      expect(rendered(`loopwatch.${part}text`)).toBe(lines.join('\n'));
    }
  });

  test('encodes names in the links of alerts', () => {
    const rules = readFileSync(inCheckout('deploy/prometheus/rules/event-loop.yml'), 'utf8');
    const links = [...rules.matchAll(/(?:dashboard|traces)_url: (.+)/g)].map(([, link]) => link!);
    expect(links.length).toBeGreaterThan(10);
    for (const link of links) expect(link).not.toMatch(/\{\{ \$labels\.\w+ (?!\| urlquery)/);
  });

  test.each(examples)('takes secrets and addresses of %s from files', (file) => {
    const text = readFileSync(path.join(folder, file), 'utf8');
    expect(text).toMatch(/_file: \/etc\/alertmanager\/secrets\//);
    expect(text).not.toMatch(/\b(url|api_url|routing_key|password|token):/);
  });

  test.each(['critical', 'warning'])('sends an alert of the severity %s to the person on call', (severity) => {
    const file = `--config.file=${installed('alertmanager.yml')}`;
    const { exitCode, output } = amtool(
      'config',
      'routes',
      'test',
      file,
      '--verify.receivers=on-call',
      `severity=${severity}`,
    );
    expect([exitCode, output]).toEqual([0, expect.stringContaining('on-call')]);
  });

  test('silences only alerts that exist, by alerts that exist', () => {
    const rules = readFileSync(inCheckout('deploy/prometheus/rules/event-loop.yml'), 'utf8');
    const alerts = [...rules.matchAll(/- alert: (\w+)/g)].map(([, name]) => name!);
    const text = readFileSync(path.join(folder, 'alertmanager.yml'), 'utf8');
    const silencing = text.slice(text.indexOf('inhibit_rules:'), text.indexOf('receivers:'));
    const named = silencing.match(/\b(EventLoop|Telemetry)\w+/g)!;
    expect(named.length).toBeGreaterThan(6);
    expect(named.filter((name) => !alerts.includes(name))).toEqual([]);
  });
});

describe('versions', () => {
  const environment = Object.fromEntries(
    // The version, without the digest of its image.
    [...readFileSync(inCheckout('.env'), 'utf8').matchAll(/^(\w+)=v?([^@\n]+)/gm)].map(([, name, value]) => [
      name!,
      value!,
    ]),
  );
  const goMod = (part: string) => readFileSync(inCheckout(`deploy/${part}/native/go.mod`), 'utf8');

  test('of the native collector and of the image are the same for every component', () => {
    const manifest = readFileSync(inCheckout('deploy/collector/manifest.yaml'), 'utf8');
    const components = [...manifest.matchAll(/gomod: (\S+) v(\S+)/g)].filter(
      ([, name]) => !name!.includes('/confmap/'),
    );
    expect(components.length).toBeGreaterThan(10);
    const goModule = goMod('collector');
    for (const [, name, version] of components) {
      expect(`${name!} ${version!}`).toBe(`${name!} ${environment['COLLECTOR_VERSION']!}`);
      expect(goModule).toContain(`${name!} v${version!}`);
    }
    expect(runCommand(binaries['otelcol']!, ['--version']).output).toContain(environment['COLLECTOR_VERSION']);
  });

  test('of the native Prometheus and of the image are the same', () => {
    const [major, minor, patch] = environment['PROMETHEUS_VERSION']!.split('.');
    const module = `github.com/prometheus/prometheus v0.${major!}${minor!.padStart(2, '0')}.${patch!}`;
    expect(goMod('prometheus')).toContain(module);
  });

  test('of the native Alertmanager and of the image are the same', () => {
    expect(goMod('alertmanager')).toContain(
      `github.com/prometheus/alertmanager v${environment['ALERTMANAGER_VERSION']!}`,
    );
  });

  test('of the native Jaeger and of the image are one release', () => {
    const [, minor] = /jaegertracing\/jaeger v1\.(\d+)\.0/.exec(goMod('jaeger'))!;
    // Since 1.62, version 1 and version 2 are released together; 2.0 was 1.63.
    expect(environment['JAEGER_VERSION']).toBe(`2.${Number(minor) - 63}.0`);
  });
});

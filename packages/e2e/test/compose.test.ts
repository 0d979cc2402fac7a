import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { beforeAll, describe, expect, test } from '@jest/globals';

import { rootDirectory } from '../../../scripts/lib/paths.mjs';
import { ensureBuilt } from '../../../scripts/stack/build.mjs';
import { composePart } from '../../../scripts/stack/parts.mjs';
import { runCommand } from '../src/commands.ts';
import { linkOfBlock, linkTo, uiSource } from '../src/jaeger-page.ts';

interface Service {
  readonly image: string;
  readonly command?: readonly string[];
  readonly user?: string;
  readonly read_only?: boolean;
  readonly cap_drop?: readonly string[];
  readonly security_opt?: readonly string[];
  readonly mem_limit?: string;
  readonly ports?: readonly { readonly host_ip?: string }[];
  readonly volumes?: readonly {
    readonly type: string;
    readonly source: string;
    readonly target: string;
    readonly read_only?: boolean;
  }[];
  readonly healthcheck?: { readonly test: readonly string[] };
  readonly depends_on?: Readonly<Record<string, { readonly condition: string }>>;
  readonly environment?: Readonly<Record<string, string>>;
}

describe('docker-compose.yml', () => {
  let compose: string;
  let services: Readonly<Record<string, Service>>;

  beforeAll(async () => {
    const binaries = await ensureBuilt([composePart], (line: string) => void process.stderr.write(`${line}\n`));
    compose = binaries['docker-compose']!;
    services = configuration().services;
  });

  function configuration(environment: Readonly<Record<string, string>> = {}): { services: Record<string, Service> } {
    const file = path.join(rootDirectory, 'docker-compose.yml');
    const { exitCode, output } = runCommand(compose, ['-f', file, 'config', '--format', 'json'], environment);
    if (exitCode !== 0) throw new Error(output);
    return JSON.parse(output) as { services: Record<string, Service> };
  }

  test('is valid', () => {
    const file = path.join(rootDirectory, 'docker-compose.yml');
    expect(runCommand(compose, ['-f', file, 'config', '--quiet'])).toEqual({ exitCode: 0, output: '' });
  });

  test('is valid in the example of Docker, too, with the same version of Jaeger', () => {
    const file = path.join(rootDirectory, 'examples/docker/compose.yaml');
    const { exitCode, output } = runCommand(compose, ['-f', file, 'config', '--format', 'json']);
    expect([exitCode, output]).toEqual([0, expect.stringContaining(services['jaeger']!.image)]);
  });

  test('publishes every port on loopback only', () => {
    const hosts = Object.values(services).flatMap(({ ports = [] }) => ports.map(({ host_ip }) => host_ip));
    expect(hosts.length).toBeGreaterThan(4);
    expect(new Set(hosts)).toEqual(new Set(['127.0.0.1']));
  });

  test('runs every service with a read-only root, without capabilities and with a memory limit', () => {
    for (const [name, service] of Object.entries(services)) {
      expect({ name, readOnly: service.read_only, dropped: service.cap_drop, options: service.security_opt }).toEqual({
        name,
        readOnly: true,
        dropped: ['ALL'],
        options: ['no-new-privileges:true'],
      });
      expect(Number(service.mem_limit)).toBeGreaterThan(0);
    }
  });

  test('runs every permanent service as another user than root, and checks its health', () => {
    const permanent = Object.entries(services).filter(([name]) => name !== 'volumes-init');
    for (const [name, { user }] of permanent) expect(`${name} ${user ?? 'root'}`).toMatch(/^\S+ [1-9]\d*:\d+$/);
    const unchecked = permanent.filter(([, { healthcheck }]) => healthcheck === undefined).map(([name]) => name);
    // The collector's image has no program for a health check; collector-health checks it. Traffic has nothing to
    // check.
    expect(unchecked.sort()).toEqual(['collector', 'traffic']);
  });

  test('mounts files that exist, and mounts them read-only', () => {
    const mounts = Object.values(services).flatMap(({ volumes = [] }) => volumes.filter(({ type }) => type === 'bind'));
    expect(mounts.length).toBeGreaterThan(8);
    for (const { source, read_only } of mounts) {
      expect({ source, exists: existsSync(source), read_only }).toEqual({ source, exists: true, read_only: true });
    }
  });

  test('pins every image to a version', () => {
    const images = Object.values(services).map(({ image }) => image);
    for (const image of images.filter((name) => name !== 'loopwatch-demo')) expect(image).toMatch(/:v?\d+\.\d+\.\d+$/);
  });

  test('disables signing in to Grafana unless a password is given', () => {
    expect(services['grafana']!.environment).toEqual({
      GF_SERVER_ROOT_URL: 'http://127.0.0.1:3000',
      GF_SECURITY_ADMIN_PASSWORD: '',
      GF_SECURITY_DISABLE_INITIAL_ADMIN_CREATION: '',
      GF_AUTH_DISABLE_LOGIN_FORM: '',
    });
    const ini = readFileSync(path.join(rootDirectory, 'deploy/grafana/grafana.ini'), 'utf8');
    expect(ini).toContain('disable_login_form = true');
    expect(ini).toContain('disable_initial_admin_creation = true');

    const withPassword = configuration({ GRAFANA_ADMIN_PASSWORD: 'of this run' }).services['grafana']!.environment;
    expect(withPassword).toEqual({
      GF_SERVER_ROOT_URL: 'http://127.0.0.1:3000',
      GF_SECURITY_ADMIN_PASSWORD: 'of this run',
      GF_SECURITY_DISABLE_INITIAL_ADMIN_CREATION: 'false',
      GF_AUTH_DISABLE_LOGIN_FORM: 'false',
    });
  });

  describe('with LOOPWATCH_GRAFANA_URL', () => {
    /** Runs the command of volumes-init, with its environment, on a folder instead of its volumes. */
    function initialise(grafanaUrl: string) {
      const { command, environment } = configuration({ LOOPWATCH_GRAFANA_URL: grafanaUrl }).services['volumes-init']!;
      const [shell, option, script] = command!;
      const volumes = mkdtempSync(path.join(tmpdir(), 'loopwatch-compose-'));
      try {
        const here = script!
          .replaceAll('/etc/jaeger/', `${path.join(rootDirectory, 'deploy/jaeger')}/`)
          .replaceAll(' /jaeger/', ` ${volumes}/`)
          .replaceAll('>/jaeger/', `>${volumes}/`)
          .replace(/^chown .*$/m, '');
        // `config` writes a dollar sign as two, so that its output can be read again.
        const address = environment!['LOOPWATCH_GRAFANA_URL']!.replaceAll('$$', () => '$');
        const result = runCommand(shell!, [option!, here], { LOOPWATCH_GRAFANA_URL: address });
        const file = path.join(volumes, 'ui.js');
        return { ...result, ui: existsSync(file) ? readFileSync(file, 'utf8') : undefined };
      } finally {
        rmSync(volumes, { recursive: true });
      }
    }

    test.each([
      ['', 'http://127.0.0.1:3000'],
      ['https://grafana.example.com', 'https://grafana.example.com'],
      ['https://example.com/grafana/', 'https://example.com/grafana'],
    ])("of %j, Jaeger's page links to %s", (url, grafana) => {
      const { exitCode, ui } = initialise(url);
      expect(exitCode).toBe(0);
      expect(ui).not.toContain('$');
      expect(linkOfBlock(ui!)).toBe(linkTo(grafana));
    });

    test('Jaeger reads the file that volumes-init has written into its volume', () => {
      const { environment, volumes } = services['jaeger']!;
      const { source } = volumes!.find(({ target }) => target === '/var/lib/jaeger')!;
      expect(environment!['LOOPWATCH_JAEGER_UI_CONFIG']).toBe('/var/lib/jaeger/ui.js');
      expect(services['volumes-init']!.volumes).toContainEqual(expect.objectContaining({ source, target: '/jaeger' }));
    });

    test.each(['grafana.example.com', "https://grafana'", 'https://grafana/$1', 'https://'])(
      'of %s, nothing starts, and the reason is written',
      (url) => {
        const { exitCode, output, ui } = initialise(url);
        expect([exitCode, output, ui]).toEqual([
          1,
          expect.stringContaining(`such as https://grafana.example.com, got ${url}`),
          undefined,
        ]);
      },
    );
  });
});

describe("Jaeger's page", () => {
  test('is configured without a dollar sign, which Jaeger would expand when it inserts the text', () => {
    expect(uiSource).not.toContain('$');
  });

  test('links a block to the dashboard of its process and time', () => {
    expect(linkOfBlock(uiSource)).toBe(linkTo('http://127.0.0.1:3000'));
  });
});

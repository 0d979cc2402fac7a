// node check-package.mjs <folder with the tarballs> <sdk2|sdk3>
//
// Installs the packed packages as a user does, on a platform on which the workspace itself does not run (Windows, Alpine)
// and on every Node.js that they support: it uses only modules of Node.js 20. A program blocks; its block must be
// reported with its function, by the instrumentation and by `loopwatch run`; then the commands look at a process that hangs.
import { execSync, spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';

const application = `
function spinForAWhile() { const until = Date.now() + 600; while (Date.now() < until) Math.sqrt(until); }
setTimeout(spinForAWhile, 1000);
setTimeout(() => {}, 2500);
`;

const hanging = `
function hangForEver() { for (;;) Math.sqrt(2); }
setTimeout(hangForEver, 500);
`;
/** `ps` of macOS does not show whether the process has its handler for SIGUSR1 yet: a younger one is refused. */
const STARTED_MS = 5000;

const telemetry = `
import { NodeSDK } from '@opentelemetry/sdk-node';
import { ConsoleSpanExporter, SimpleSpanProcessor } from '@opentelemetry/sdk-trace';
import { EventLoopInstrumentation } from '@loopwatch/instrumentation-event-loop';
const spanProcessors = [new SimpleSpanProcessor({ exporter: new ConsoleSpanExporter() })];
new NodeSDK({ spanProcessors, autoDetectResources: false, instrumentations: [new EventLoopInstrumentation()] }).start();
`;

const cli = 'node_modules/loopwatch/dist/cli.cjs';
const [tarballs, sdk] = process.argv.slice(2);
const { api, experimental, stable } =
  JSON.parse(readFileSync(new URL('../sdk-lines.json', import.meta.url), 'utf8'))[sdk] ?? {};
if (tarballs === undefined || api === undefined) {
  console.error(`Usage: node check-package.mjs <folder with the tarballs> <sdk2|sdk3>, got ${process.argv.slice(2)}.`);
  process.exit(2);
}

const directory = mkdtempSync(path.join(tmpdir(), 'loopwatch-platform-'));
try {
  install();
  check('the instrumentation', ['--import', './telemetry.mjs', 'app.cjs'], ['event-loop-blocked', 'spinForAWhile']);
  check('loopwatch run', [cli, 'run', '--', process.execPath, 'app.cjs'], ['1 block', 'spinForAWhile']);
  await checkRunningProcess();
} finally {
  rmSync(directory, { recursive: true, force: true, maxRetries: 5 });
}

function install() {
  writeFileSync(path.join(directory, 'package.json'), '{ "name": "application", "private": true }\n');
  writeFileSync(path.join(directory, 'app.cjs'), application);
  writeFileSync(path.join(directory, 'hangs.cjs'), hanging);
  writeFileSync(path.join(directory, 'telemetry.mjs'), telemetry);
  const files = readdirSync(tarballs, { recursive: true }).filter((name) => String(name).endsWith('.tgz'));
  const packages = [
    ...files.map((name) => `"${path.resolve(tarballs, String(name))}"`),
    `@opentelemetry/api@${api}`,
    `@opentelemetry/instrumentation@${experimental}`,
    `@opentelemetry/sdk-node@${experimental}`,
    `@opentelemetry/sdk-trace@${stable}`,
  ];
  // By a shell: npm is a script of the command interpreter on Windows.
  execSync(`npm install --no-audit --no-fund ${packages.join(' ')}`, { cwd: directory, stdio: 'inherit' });
}

/** What `ps`, `dump`, `doctor` and `attach` say of a process that hangs. */
async function checkRunningProcess() {
  const target = spawn(process.execPath, ['--inspect-port=0', 'hangs.cjs'], { cwd: directory, stdio: 'ignore' });
  const pid = String(target.pid);
  try {
    await sleep(STARTED_MS);
    check('loopwatch ps', [cli, 'ps', '--json'], [`"pid": ${pid},`, 'hangs.cjs']);
    check('loopwatch dump', [cli, 'dump', pid], ['hangForEver']);
    check('loopwatch doctor', [cli, 'doctor', pid], [`process ${pid}`], 1);
    if (process.platform === 'linux') check('loopwatch attach', [cli, 'attach', '--for', '3s', pid], ['hangForEver']);
    else check('loopwatch attach', [cli, 'attach', pid], ['none on this system', 'loopwatch run --'], 1);
  } finally {
    target.kill('SIGKILL');
  }
}

/**
 * @param {string} title
 * @param {readonly string[]} nodeArguments
 * @param {readonly string[]} expected texts of the output
 */
function check(title, nodeArguments, expected, code = 0) {
  const env = { ...process.env, OTEL_METRICS_EXPORTER: 'none', OTEL_LOGS_EXPORTER: 'none' };
  const run = spawnSync(process.execPath, nodeArguments, { cwd: directory, encoding: 'utf8', env, timeout: 120_000 });
  const output = `${run.stdout}${run.stderr}`;
  const missing = expected.filter((text) => !output.includes(text));
  if (run.status !== code || missing.length > 0) {
    console.error(`${title}: expected exit code ${code} and ${missing.join(', ')}, got ${run.status} and:\n${output}`);
    process.exitCode = 1;
    return;
  }
  console.log(`${title}: as expected, on ${process.platform} ${process.arch}, Node.js ${process.version}`);
}

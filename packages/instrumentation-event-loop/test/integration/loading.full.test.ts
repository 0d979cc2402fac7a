import { execFile, execFileSync } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';

import { beforeAll, describe, expect, test } from '@jest/globals';
import { combinations, consumerOf, describeCombination } from '@loopwatch/test-support';
import { nodeBinary } from '@loopwatch/node-binaries';

const run = promisify(execFile);

/** What loading and registering the package adds to a process that has OpenTelemetry's packages. */
interface Loaded {
  /** Modules of Node, without its internal ones and bindings. */
  readonly modules: readonly string[];
  /** Standard streams that were opened. */
  readonly streams: readonly string[];
}

/** Each of them has a purpose at registration; one that is only needed for a report belongs to that report. */
const ALLOWED = ['diagnostics_channel', 'module', 'os', 'path', 'perf_hooks', 'worker_threads'];
/** What the ES modules of OpenTelemetry load in some versions, and other modules of Node load with them. */
const LOADED_WITH_OTHERS = /^(stream|string_decoder|util|events|process|url|async_hooks|fs|timers)(\/|$)/;

/**
 * Characters of a file of the package that V8 looks over when it loads: 117,200, of which the guards and copies of
 * built-ins take 0.5 ms, own listeners that no warning counts 600 characters, what keeps blocks until an SDK has started,
 * also at the end of a program that ends before, 900, the utilization without suspensions 700, what an older copy of the
 * API has registered 450, and the last answer of a worker that is terminated 580.
 */
const MAX_CODE = 117_600;
/**
 * Characters of the text in it, which V8 only copies then: 166,620, of which source maps take 17,000, the second way to ask
 * 5,000, the proof of compiled code 1,700, the budget of the questions 1,650, a pool that is full from its first task on
 * 1,000, what sleeps in a timer, in a short call or is woken by questions 1,250, the threads that are the pool's, what
 * is not counted of a span and the file of this package 350, and what is seen while V8 formats a stack 1,650.
 * `loading-cost.calm.full` measures what both cost.
 */
const MAX_TEXT = 169_800;

/** Source that keeps the names of the standard streams that are opened in `streams`. */
const NOTE_STREAMS = `
        const streams = [];
        for (const name of ['stdin', 'stdout', 'stderr']) {
          const { get } = Object.getOwnPropertyDescriptor(process, name);
          Object.defineProperty(process, name, { configurable: true, enumerable: true, get() {
            streams.push(name);
            return Reflect.apply(get, process, []);
          } });
        }`;

test.each(['internal.mjs', 'internal.cjs', 'semconv.mjs', 'semconv.cjs'])(
  '%s needs no Node.js: pages for browsers contain it',
  async (name) => {
    const { directory } = await consumerOf('sdk3');
    const file = path.join(directory, 'node_modules/@loopwatch/instrumentation-event-loop/dist', name);
    expect(await readFile(file, 'utf8')).not.toMatch(/\bprocess\b|getBuiltinModule|['"]node:(?!internal)/);
  },
);

test.each(['index.mjs', 'index.cjs'])('%s has little code besides the text of the deferred code', async (name) => {
  const { directory } = await consumerOf('sdk3');
  const file = path.join(directory, 'node_modules/@loopwatch/instrumentation-event-loop/dist', name);
  const code = await readFile(file, 'utf8');
  const [text = ''] = /^const source = "\(function.*$/m.exec(code) ?? [];
  expect(text.length).toBeGreaterThan(10_000);
  expect(text.length).toBeLessThan(MAX_TEXT);
  expect(code.length - text.length).toBeLessThan(MAX_CODE);
  // One character beyond Latin-1, and V8 stores the file with two bytes for each.
  expect(code).not.toMatch(/[^\0-\x7f]/);
});

describe.each(combinations.map((combination) => [describeCombination(combination), combination] as const))(
  '%s',
  (_label, { nodeMajor, sdk }) => {
    let directory: string;

    beforeAll(async () => {
      ({ directory } = await consumerOf(sdk));
    });

    async function loadedBy(load: string, type: string): Promise<Loaded> {
      const program = `
        ${load.replaceAll('PACKAGE', '@opentelemetry/api')};
        ${load.replaceAll('PACKAGE', '@opentelemetry/instrumentation')};
        const before = new Set(process.moduleLoadList);
        ${NOTE_STREAMS}
        ${load.replaceAll('PACKAGE', '@loopwatch/instrumentation-event-loop/register')};
        const modules = process.moduleLoadList.filter((name) => !before.has(name));
        require('node:fs').writeSync(1, JSON.stringify({ modules, streams: [...streams] }));
        process.exit();`;
      const require_ =
        type === 'module'
          ? "import { createRequire } from 'node:module'; const require = createRequire(process.cwd() + '/x.js');"
          : '';
      const { stdout } = await run(nodeBinary(nodeMajor), [`--input-type=${type}`, '--eval', require_ + program], {
        cwd: directory,
        timeout: 30_000,
        env: { PATH: process.env.PATH, HOME: process.env.HOME },
      });
      const { modules, streams } = JSON.parse(stdout) as Loaded;
      const names = modules.flatMap((name) => /^NativeModule (?!internal\/|_)(.+)$/.exec(name)?.[1] ?? []);
      return { modules: names, streams };
    }

    test.each([
      ['import', "await import('PACKAGE')", 'module'],
      ['require', "require('PACKAGE')", 'commonjs'],
    ])('by %s, registration opens none of the standard streams', async (_kind, load, type) => {
      expect((await loadedBy(load, type)).streams).toEqual([]);
    });

    test('the threads of the package open none of the standard streams, and add no listeners to them', async () => {
      const program = `
        // OpenTelemetry's packages open a stream when they load.
        const { EventLoopInstrumentation } = require('@loopwatch/instrumentation-event-loop');
        ${NOTE_STREAMS}
        const instrumentation = new EventLoopInstrumentation({ livenessPort: 0 });
        const keepAlive = setInterval(() => {}, 100);
        const look = setInterval(() => {
          if (process.report.getReport().workers.length === 0) return;
          clearInterval(look);
          setTimeout(() => {
            instrumentation.disable();
            require('node:fs').writeSync(1, JSON.stringify(streams));
            process.exit();
          }, 300);
        }, 50);`;
      const { stdout } = await run(nodeBinary(nodeMajor), ['--eval', program], {
        cwd: directory,
        timeout: 30_000,
        env: { PATH: process.env.PATH, HOME: process.env.HOME },
      });
      expect(JSON.parse(stdout)).toEqual([]);
    });

    test.each([
      ['import', "await import('PACKAGE')", 'module'],
      ['require', "require('PACKAGE')", 'commonjs'],
    ])('by %s, registration loads only the modules of Node that it needs then', async (_kind, load, type) => {
      const { modules } = await loadedBy(load, type);
      expect(modules.length).toBeGreaterThan(0);
      expect(modules.filter((name) => !ALLOWED.includes(name) && !LOADED_WITH_OTHERS.test(name))).toEqual([]);
    });

    test.each([
      ['that ends at once compiles nothing that only a block needs', '', false],
      ['that waits compiles it', 'setTimeout(() => {}, 500);', true],
    ])('a program %s', async (_kind, rest, isCompiled) => {
      const program = `
        const vm = require('node:vm');
        const { runInThisContext } = vm;
        const names = [];
        vm.runInThisContext = (source, options) => {
          names.push(options?.filename);
          return runInThisContext(source, options);
        };
        const { EventLoopInstrumentation } = require('@loopwatch/instrumentation-event-loop');
        new EventLoopInstrumentation();
        const files = Object.keys(require.cache).filter((file) => /instrumentation-event-loop.dist/.test(file));
        process.on('exit', () => {
          require('node:fs').writeFileSync(__filename + '.json', JSON.stringify({ names, files }));
        });
        ${rest}`;
      const file = path.join(directory, `deferred-${String(isCompiled)}.cjs`);
      await writeFile(file, program);
      // A standard stream that is a pipe counts as something to wait for, once it is open.
      execFileSync(nodeBinary(nodeMajor), [file], {
        stdio: 'ignore',
        timeout: 30_000,
        env: { PATH: process.env.PATH, HOME: process.env.HOME },
      });
      const { names, files } = JSON.parse(await readFile(`${file}.json`, 'utf8')) as Record<string, string[]>;
      expect(names).toEqual(isCompiled ? ['loopwatch:deferred'] : []);
      expect(files?.map((loaded) => path.basename(loaded))).toEqual(['index.cjs']);
    });
  },
);

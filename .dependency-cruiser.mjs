import { builtinModules } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const root = path.dirname(fileURLToPath(import.meta.url));

const source = '^packages/instrumentation-event-loop/src';
const cli = '^packages/cli/src';
const semconv = '/instrumentation-event-loop/dist/(semconv|internal)\\.';
const internalOfNode = '/instrumentation-event-loop/dist/internal-node\\.';

/** What a room may import besides itself and `node:` modules. Imports of types count too. */
function roomRule(room, comment, allowed) {
  return {
    name: `${room}-room`,
    comment,
    severity: 'error',
    from: { path: `${source}/${room}/` },
    to: { pathNot: [`${source}/${room}/`, ...allowed], dependencyTypesNot: ['core'] },
  };
}

/** As `roomRule`, for the rooms of the CLI; `modelsOnly` rooms import no module of Node either. */
function cliRule(room, comment, allowed, { modelsOnly = false } = {}) {
  return {
    name: `cli-${room.replace('/', '-')}-room`,
    comment,
    severity: 'error',
    from: { path: `${cli}/${room}/` },
    to: {
      pathNot: [`${cli}/${room}/`, ...allowed],
      ...(modelsOnly ? {} : { dependencyTypesNot: ['core'] }),
    },
  };
}

/** What a room of a house below `packages/cli/src` may import of the other rooms there; the files beside the rooms are everyone's. */
function innerRules(house, rooms) {
  return Object.entries(rooms).map(([room, allowed]) => ({
    name: `cli-${house.replaceAll('/', '-')}-${room}-room`,
    comment: `The rooms of ${house} have an order: ARCHITECTURE.md of the CLI has it.`,
    severity: 'error',
    from: { path: `${cli}/${house}/${room}/` },
    to: { path: `${cli}/${house}/[^/]+/`, pathNot: `${cli}/${house}/(${[room, ...allowed].join('|')})/` },
  }));
}

const contract = `${source}/contract/`;
const openTelemetry = '(^|/)@opentelemetry/';
const nodeModule = `^(node:)?(${builtinModules.join('|')})$`;

/** The import rules of the workspace; ARCHITECTURE.md of the instrumentation says why. */
export default {
  forbidden: [
    {
      name: 'no-circular',
      comment: 'Two files that need each other are one file, or three. Imports of types count too.',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    roomRule('contract', 'The contract is what all rooms know: it knows none of them.', []),
    roomRule('detection', 'Detection knows no OpenTelemetry and no other room.', [contract]),
    roomRule('probe', 'The probe runs inside blocked code: it knows the contract only.', [contract]),
    roomRule('blocks', 'Judging a busy period needs the contract only.', [contract]),
    {
      name: 'blocks-are-pure',
      comment: 'Blocks are judged from plain data: no clock, no timer, no file, not even by a detour.',
      severity: 'error',
      from: { path: `${source}/blocks/` },
      to: { path: nodeModule, reachable: true },
    },
    roomRule('export', 'Export knows the contract, the names on the wire, the public types and OpenTelemetry.', [
      contract,
      `${source}/(semconv|types|version)\\.ts$`,
      openTelemetry,
    ]),
    roomRule('config', 'Options are read by themselves: of the rest they know names and types.', [
      `${source}/(application-package|semconv|types)\\.ts$`,
      openTelemetry,
    ]),
    roomRule('watchdog', 'The watchdog thread knows the contract and the names on the wire.', [
      contract,
      `${source}/(semconv|version)\\.ts$`,
    ]),
    roomRule(
      'liveness',
      'The liveness thread answers by what the watchdog shares with it: it knows the contract only.',
      [contract],
    ),
    {
      name: 'watchdog-without-opentelemetry',
      comment: 'Its threads cost few MB and start in milliseconds because they load no package, not even by a detour.',
      severity: 'error',
      from: { path: `${source}/(watchdog|liveness)/` },
      to: { path: openTelemetry, reachable: true },
    },
    roomRule(
      'monitor',
      'The monitor wires detection, probe and blocks; of export it knows types only, and warns by diag.',
      [
        `${source}/(contract|detection|probe|blocks|export)/`,
        '^virtual:(watchdog-source|deferred)$',
        '/@opentelemetry/api/',
      ],
    ),
    {
      name: 'monitor-exports-nothing',
      comment: 'The monitor hands blocks to its subscribers; instrumentation.ts subscribes and exports.',
      severity: 'error',
      from: { path: `${source}/monitor/` },
      to: { path: `${source}/export/`, dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'registration-finds-an-sdk',
      comment: 'The preload finds or starts an SDK; what it detects, instrumentation.ts does.',
      severity: 'error',
      from: { path: `${source}/registration/` },
      to: {
        path: `${source}/`,
        pathNot: [
          `${source}/(registration|export)/`,
          `${source}/(instrumentation|semconv|application-package)\\.ts$`,
          `${source}/contract/(built-ins|guard|registry(-layout)?|hooks-thread|node-module|own-listeners|standard-descriptors|unref|wrap-function)\\.ts$`,
          `${source}/detection/(app-start-up|root-timers)\\.ts$`,
          `${source}/monitor/(late-warnings|shared-thread)\\.ts$`,
        ],
      },
    },
    {
      name: 'few-composition-roots',
      comment: 'Of the files at the root, only these see rooms; a room never imports the root but for names and types.',
      severity: 'error',
      from: {
        path: `${source}/[^/]+\\.ts$`,
        pathNot: `${source}/(instrumentation|deferred|is-overloaded|span-processor|register|internal|internal-node)\\.ts$`,
      },
      to: { path: `${source}/[^/]+/` },
    },
    cliRule(
      'model',
      'What terminal, page and files show: pure, in Node and in the browser.',
      [semconv, 'node_modules/fast-string-width/'],
      {
        modelsOnly: true,
      },
    ),
    ...innerRules('model', {
      text: [],
      stacks: ['text'],
      delays: ['text'],
      advice: ['stacks', 'text'],
      blocks: ['advice', 'stacks', 'text'],
      'busy-time': ['blocks', 'delays', 'stacks', 'text'],
      processes: ['advice', 'blocks', 'text'],
      accept: ['busy-time', 'delays', 'processes'],
      live: ['advice', 'blocks', 'text'],
      recording: ['advice', 'blocks', 'busy-time', 'delays', 'processes', 'text'],
      compare: ['blocks', 'busy-time', 'recording', 'stacks', 'text'],
      report: ['blocks', 'busy-time', 'compare', 'delays', 'processes', 'recording', 'text'],
    }),
    cliRule('page', 'The page runs in the browser.', [`${cli}/model/`, 'node_modules/(preact|uplot|d3|vite)'], {
      modelsOnly: true,
    }),
    ...innerRules('page', {
      model: [],
      data: ['model'],
      parts: ['model'],
      overview: ['data', 'model', 'parts'],
      culprit: ['data', 'model', 'parts'],
      block: ['data', 'model', 'parts'],
      comparison: ['model', 'parts'],
    }),
    ...innerRules('page/parts', {
      state: [],
      code: ['state'],
      table: ['code', 'state'],
      flame: ['code', 'state'],
      facts: ['table'],
      frame: ['code', 'state'],
    }),
    cliRule('channel', 'Between the watched program and the CLI: records, and how they are written and read.', [
      `${cli}/model/`,
    ]),
    cliRule('preload', 'The preload runs in the watched program: it loads the instrumentation and writes records.', [
      `${cli}/(channel|model)/`,
      '/instrumentation-event-loop/dist/',
      openTelemetry,
    ]),
    ...innerRules('preload', { requests: [], records: [], attach: [] }),
    cliRule('cli', 'The CLI never loads what runs in the watched program or in the browser.', [
      `${cli}/(channel|model)/`,
      semconv,
      internalOfNode,
      'node_modules/(@modelcontextprotocol/sdk|@types/ws|ajv|commander|open|picocolors|pbf|pprof-format|node-sqlite3-wasm|ws|zod)',
    ]),
    cliRule('cli/platform', 'What is asked of the system about processes: knows modules of Node only.', []),
    cliRule(
      'cli/inspect',
      'Processes that already run, by the platform and the inspector: knows channel and model only.',
      [`${cli}/(channel|model|cli/platform)/`, semconv, internalOfNode, 'node_modules/(@types/ws|ws)'],
    ),
    ...innerRules('cli/inspect', {
      process: [],
      inspector: ['process'],
      program: ['inspector', 'process'],
      dump: ['inspector', 'process'],
      attach: ['inspector', 'process'],
    }),
    cliRule('cli/doctor', 'What is wrong with a set-up: reads files and processes by their rooms.', [
      `${cli}/(model|cli/files|cli/inspect|cli/platform)/`,
      semconv,
    ]),
    cliRule('cli/mcp', 'Findings for coding agents: reads files and processes by their rooms.', [
      `${cli}/(model|cli/files|cli/inspect|cli/platform)/`,
      'node_modules/(@modelcontextprotocol/sdk|zod)',
    ]),
    {
      name: 'sdk-of-mcp-in-its-room',
      comment: 'The SDK is half a megabyte of code: no other command loads it.',
      severity: 'error',
      from: { path: `${cli}/`, pathNot: `${cli}/cli/mcp/` },
      to: { path: 'node_modules/(@modelcontextprotocol/sdk|zod)' },
    },
    {
      name: 'published-source-without-dev-dependencies',
      comment: 'A user of the package does not have our development dependencies.',
      severity: 'error',
      from: { path: `${source}/` },
      to: { dependencyTypes: ['npm-dev'], dependencyTypesNot: ['npm-peer', 'type-only'] },
    },
    {
      name: 'no-source-of-another-package',
      comment: 'A package is used by its name and what it exports.',
      severity: 'error',
      from: { path: '^packages/([^/]+)/' },
      to: { path: '^packages/[^/]+/src/', pathNot: '^packages/$1/', dependencyTypes: ['local'] },
    },
    {
      name: 'no-unresolvable',
      severity: 'error',
      from: {},
      to: { couldNotResolve: true, pathNot: '^virtual:' },
    },
  ],
  options: {
    doNotFollow: { path: '(^|/)(node_modules|dist)/' },
    // Programs that tests and benchmarks copy into other folders and run there are not part of the workspace.
    exclude: {
      path: '^packages/(?!instrumentation-event-loop/)[^/]+/dist/|(^|/)(temp|coverage|fixtures|corpus|programs|kit|subjects/loading)/',
    },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: path.join(root, 'tsconfig.base.json') },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'node', 'types', 'default'],
      extensions: ['.ts', '.tsx', '.mts', '.mjs', '.cjs', '.js', '.json', '.d.ts'],
    },
  },
};

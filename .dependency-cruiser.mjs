import path from 'node:path';
import { fileURLToPath } from 'node:url';

const root = path.dirname(fileURLToPath(import.meta.url));

const source = '^packages/instrumentation-event-loop/src';

/** What a room may import besides `node:` modules; anything else is a violation. */
function roomRule(room, comment, allowed) {
  return {
    name: `${room}-room`,
    comment,
    severity: 'error',
    from: { path: `${source}/${room}/` },
    to: { pathNot: [`${source}/${room}/`, ...allowed], dependencyTypesNot: ['core'] },
  };
}

/** The import rules of the house. */
export default {
  forbidden: [
    {
      name: 'no-circular',
      comment: 'Two files that need each other are one file, or three. Imports of types count too.',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    roomRule('detection', 'Detection knows no OpenTelemetry and neither of the other rooms.', [
      `${source}/model\\.ts$`,
      '^virtual:watchdog-source$',
    ]),
    roomRule('attribution', 'Attribution is pure: it knows the model only.', [`${source}/model\\.ts$`]),
    roomRule('reporting', 'Reporting knows the model, the names on the wire, the public types and OpenTelemetry.', [
      `${source}/(model|semconv|types|version)\\.ts$`,
      '(^|/)@opentelemetry/',
    ]),
    {
      name: 'one-composition-root',
      comment: 'Only instrumentation.ts, the entries that export it, and the entry of the watchdog see the last room.',
      severity: 'error',
      from: {
        path: `${source}/`,
        pathNot: `${source}/(reporting/|registration/|(instrumentation|index|register|span-processor|watchdog)\\.ts$)`,
      },
      to: { path: `${source}/reporting/` },
    },
    {
      name: 'registration-reports-only',
      comment:
        'The parts of register.ts find an SDK and give it to reporting; what they detect, instrumentation.ts does.',
      severity: 'error',
      from: { path: `${source}/registration/` },
      to: {
        path: `${source}/(detection|attribution)/`,
        pathNot: `${source}/detection/(loading|registry|root-context)\\.ts$`,
      },
    },
    {
      name: 'watchdog-without-opentelemetry',
      comment: 'The worker costs 2 MB and starts in milliseconds because it loads nothing, not even by a detour.',
      severity: 'error',
      from: { path: `${source}/(detection/watchdog/|watchdog\\.ts$)` },
      to: { path: '(^|/)@opentelemetry/', reachable: true },
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
    // Programs that tests copy into other folders and run there are not part of the workspace.
    exclude: { path: '(^|/)(dist|temp|coverage|fixtures|corpus|programs|kit)/' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: path.join(root, 'tsconfig.base.json') },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'node', 'types', 'default'],
      extensions: ['.ts', '.tsx', '.mts', '.mjs', '.cjs', '.js', '.json', '.d.ts'],
    },
  },
};

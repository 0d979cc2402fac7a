import js from '@eslint/js';
import prettier from 'eslint-config-prettier/flat';
import jest from 'eslint-plugin-jest';
import { defineConfig, globalIgnores } from 'eslint/config';
import tseslint from 'typescript-eslint';

const nodeGlobals = Object.fromEntries(
  Object.getOwnPropertyNames(globalThis)
    .filter((name) => !/^[A-Z]\w*Error$/.test(name))
    .map((name) => [name, 'readonly']),
);

const instrumentationSource = 'packages/instrumentation-event-loop/src';
const preloadSource = 'packages/cli/src/preload';
const timers = '(set(Timeout|Interval|Immediate)|rearmImmediate|queueMicrotask|nextTick)';
const subscriptions =
  '(on|once|addListener|prepend(Once)?Listener|addEventListener|subscribe|addCallback|then|catch|finally)';
/** A function that Node.js, the SDK or the application calls, written where it is handed over without a guard. */
const unguardedEntries = [
  `CallExpression[callee.name=/^(${timers}|subscribe)$/] > :function:not([body.type="Identifier"])`,
  `CallExpression[callee.property.name=/^(${timers}|${subscriptions}|addBatchObservableCallback)$/] > :function:not([body.type="Identifier"])`,
  'AssignmentExpression[left.property.name=/^on[a-z]+$/] > :function',
  'NewExpression[callee.name=/^(PerformanceObserver|FinalizationRegistry|MutationObserver)$/] > :function',
].map((selector) => ({
  selector,
  message: 'What this throws ends the application: wrap it by `guarded`, see guard.ts.',
}));

export default defineConfig(
  globalIgnores(['.pnpm-store/', '**/dist/', '**/temp/', '**/coverage/', '**/fixtures/', '**/corpus/', '**/programs/']),
  // The workspace does not install what the examples depend on, so their types are unknown.
  globalIgnores(['examples/**/*.ts', '**/.next/']),
  js.configs.recommended,
  {
    files: ['**/*.{js,mjs,cjs}'],
    languageOptions: { globals: nodeGlobals },
    rules: { 'no-unused-vars': ['error', { ignoreRestSiblings: true }] },
  },
  {
    files: ['**/*.cjs', 'deploy/kubernetes/injection/image/*.js'],
    languageOptions: {
      sourceType: 'commonjs',
      globals: {
        require: 'readonly',
        module: 'writable',
        exports: 'readonly',
        __dirname: 'readonly',
        __filename: 'readonly',
      },
    },
  },
  {
    files: ['**/*.{ts,tsx,mts,cts}'],
    extends: [tseslint.configs.strictTypeChecked, tseslint.configs.stylisticTypeChecked],
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    rules: {
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/consistent-type-definitions': ['error', 'interface'],
      '@typescript-eslint/explicit-module-boundary-types': 'error',
      '@typescript-eslint/switch-exhaustiveness-check': 'error',
      // Numbers and booleans are readable in a template; objects are not.
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true, allowBoolean: true }],
      // An unset and an empty environment variable mean the same: `||` is right for strings.
      '@typescript-eslint/prefer-nullish-coalescing': ['error', { ignorePrimitives: { string: true } }],
      // `process.env['NAME']`: the name is data.
      '@typescript-eslint/dot-notation': ['error', { allowIndexSignaturePropertyAccess: true }],
      '@typescript-eslint/no-unused-vars': [
        'error',
        { argsIgnorePattern: '^_', varsIgnorePattern: '^_', ignoreRestSiblings: true },
      ],
      // There is no enum here; for those of libraries, it took a sixth of the time of all rules.
      '@typescript-eslint/no-unsafe-enum-assignment': 'off',
      // Typed arrays and tuples are indexed by checked loop variables, which the compiler cannot see.
      '@typescript-eslint/no-non-null-assertion': 'off',
    },
  },
  {
    files: ['**/test/**/*.ts'],
    extends: [jest.configs['flat/recommended']],
    settings: { jest: { version: 30, globalPackage: '@jest/globals' } },
    rules: {
      '@typescript-eslint/no-unsafe-assignment': 'off',
      // `test()` and `describe()` return nothing to await.
      '@typescript-eslint/no-floating-promises': 'error',
      'jest/expect-expect': ['error', { assertFunctionNames: ['expect', 'expect*', 'assert*'] }],
      'jest/no-conditional-expect': 'error',
      'jest/no-disabled-tests': 'error',
      'jest/no-standalone-expect': 'off',
    },
  },
  {
    // Pure: .dependency-cruiser.mjs forbids the modules of Node there, this the globals.
    files: ['packages/instrumentation-event-loop/src/blocks/**/*.ts'],
    rules: {
      'no-restricted-globals': [
        'error',
        ...['process', 'performance', 'Date', 'console', 'Buffer', 'fetch', 'globalThis', 'queueMicrotask'],
        ...['setTimeout', 'setInterval', 'setImmediate', 'clearTimeout', 'clearInterval', 'clearImmediate'],
      ],
    },
  },
  {
    // Runs in the application's threads. test/unit/entries.test.ts of the instrumentation lists what is handed over by name.
    files: [`${instrumentationSource}/**/*.ts`, `${preloadSource}/**/*.ts`],
    ignores: ['watchdog', 'liveness'].map((room) => `${instrumentationSource}/${room}/**/*.ts`),
    rules: {
      'no-restricted-syntax': ['error', ...unguardedEntries],
      // The application may have replaced the iterator of arrays: see contract/built-ins.ts.
      '@typescript-eslint/prefer-for-of': 'off',
      '@typescript-eslint/no-confusing-void-expression': ['error', { ignoreArrowShorthand: true }],
    },
  },
  {
    // Runs inside code that V8 has interrupted, perhaps within a regular expression: see `src/probe/probe.ts`.
    files: ['blocks', 'contract', 'export', 'probe']
      .map((room) => `packages/instrumentation-event-loop/src/${room}/**/*.ts`)
      .concat(
        ['judging', 'lost-idle', 'pending-blocks', 'pending-lags', 'source-map'].map(
          (file) => `packages/instrumentation-event-loop/src/monitor/${file}.ts`,
        ),
      )
      .concat(
        ['current-request', 'plain-property', 'request-aware-instrumentation', 'request-name', 'track-requests'].map(
          (file) => `packages/cli/src/preload/requests/${file}.ts`,
        ),
      ),
    // Read the environment, at start-up only.
    ignores: ['hang-destination', 'otel-variables'].map(
      (file) => `packages/instrumentation-event-loop/src/export/${file}.ts`,
    ),
    rules: {
      'no-restricted-syntax': [
        'error',
        ...unguardedEntries,
        { selector: 'Literal[regex]', message: 'No regular expression inside interrupted code: see probe.ts.' },
        {
          selector: 'Identifier[name="RegExp"]',
          message: 'No regular expression inside interrupted code: see probe.ts.',
        },
      ],
    },
  },
  {
    files: ['dashboards/**/*.ts'],
    // The SDK deprecates the classic dashboard format, but provisioning reads only that.
    rules: { '@typescript-eslint/no-deprecated': 'off' },
  },
  {
    rules: {
      eqeqeq: 'error',
      curly: ['error', 'multi-line'],
      'no-console': 'off',
      'object-shorthand': 'error',
      'prefer-const': 'error',
    },
  },
  prettier,
);

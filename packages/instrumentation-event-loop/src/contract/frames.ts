import { loaderHooksAmong } from './loader-hooks.js';
import type { Frame } from './model.js';

/** Frames kept of a stack, from the top. Frameworks alone can take 60 frames between a route and the loop. */
export const MAX_FRAMES = 128;

/**
 * Whose code a frame belongs to. `telemetry`: this package, OpenTelemetry's packages and their helpers. `loader-hook`:
 * packages and functions that wrap `require` and `import`, and stand on the stack of all code that a module runs when it
 * is loaded. `helper`: a package that these two call, such as the serialiser of an exporter.
 */
export type FrameKind = 'application' | 'dependency' | 'telemetry' | 'loader-hook' | 'helper' | 'internal' | 'builtin';

/** Whose code the frame belongs to, as far as the frame alone shows it. */
export function kindOf(frame: Frame): FrameKind {
  return frame.isOwn === true ? 'telemetry' : placeOf(frame.fileName).kind;
}

/**
 * Whose code each frame of a stack belongs to. A package that telemetry calls is its helper; called by other code, it is a
 * dependency like any other.
 */
export function kindsOf(frames: readonly Frame[]): FrameKind[] {
  const kinds = frames.map(kindOf);
  let caller: FrameKind | undefined;
  for (let i = frames.length - 1; i >= 0; i--) {
    const kind = kinds[i]!;
    if (kind === 'internal' || kind === 'builtin') continue;
    const isCalledByTelemetry = caller === 'telemetry' || caller === 'loader-hook' || caller === 'helper';
    const isHelper = kind === 'dependency' && isCalledByTelemetry && placeOf(frames[i]!.fileName).isHelper;
    if (isHelper) kinds[i] = 'helper';
    caller = kinds[i];
  }
  // Last, because what a hook of the program loads is no helper of telemetry.
  for (const hook of loaderHooksAmong(frames)) kinds[hook] = 'loader-hook';
  return kinds;
}

/** Whether the frame is code of Node or V8. */
export function isOfNodeOrV8(frame: Frame): boolean {
  const kind = kindOf(frame);
  return kind === 'internal' || kind === 'builtin';
}

/** Whether the frame belongs to this package. */
export function isOwn(frame: Frame): boolean {
  return frame.isOwn === true || placeOf(frame.fileName).isOwn;
}

/** Whether the file is text that this package evaluates in an application's thread: the build names it so. */
export function isOwnText(fileName: string): boolean {
  return fileName.startsWith('loopwatch:');
}

/** What the name of a file shows about its code. */
interface Place {
  readonly kind: FrameKind;
  /** Empty for code of the application. */
  readonly packageName: string;
  readonly isOwn: boolean;
  /** Telemetry calls the package for its own work. */
  readonly isHelper: boolean;
}

/** Cached, because an attribution asks for thousands of frames in few files. */
const places = new Map<string, Place>();
const MAX_PLACES = 2000;

function placeOf(fileName: string): Place {
  let place = places.get(fileName);
  if (place === undefined) {
    place = findPlace(fileName);
    if (places.size >= MAX_PLACES) places.clear();
    places.set(fileName, place);
  }
  return place;
}

function findPlace(fileName: string): Place {
  const packageName = findPackage(fileName);
  const isOwn = isOwnText(fileName) || OWN_PACKAGES.has(packageName);
  return {
    kind: isOwn ? 'telemetry' : kindOfFile(fileName, packageName),
    packageName,
    isOwn,
    isHelper: isTelemetryHelper(packageName),
  };
}

const OWN_PACKAGES = new Set(['@loopwatch/instrumentation-event-loop', 'loopwatch']);
const LOADER_HOOKS = new Set(['require-in-the-middle', 'import-in-the-middle', 'shimmer']);
const TELEMETRY_HELPERS = new Set([
  'protobufjs',
  'long',
  '@grpc/grpc-js',
  '@grpc/proto-loader',
  'semver',
  'resolve',
  'debug',
  'module-details-from-path',
  'es-module-lexer',
  'acorn',
]);

/** OpenTelemetry's own packages, and instrumentations and distributions of others: `@fastify/otel`, `@vercel/otel`. */
function isTelemetry(packageName: string): boolean {
  if (packageName.startsWith('@opentelemetry/') || packageName === '@prisma/instrumentation') return true;
  const words = packageName.slice(packageName.indexOf('/') + 1).split('-');
  return words.includes('opentelemetry') || words.includes('otel');
}

/** Whether the telemetry packages call the package for their own work. */
function isTelemetryHelper(packageName: string): boolean {
  return (
    TELEMETRY_HELPERS.has(packageName) ||
    packageName.startsWith('@protobufjs/') ||
    packageName.endsWith('cjs-module-lexer') ||
    packageName.startsWith('acorn-')
  );
}

function kindOfFile(fileName: string, packageName: string): FrameKind {
  // A WebAssembly function has no source line to show; its caller in JavaScript has one.
  if (fileName === '' || fileName === '<anonymous>' || fileName.startsWith('wasm:')) return 'builtin';
  if (fileName.startsWith('node:')) return 'internal';
  if (packageName === '') return 'application';
  if (LOADER_HOOKS.has(packageName)) return 'loader-hook';
  return isTelemetry(packageName) ? 'telemetry' : 'dependency';
}

/**
 * The package that a file was installed with: the name after the last `node_modules`, which pnpm's store and Yarn's zip
 * files have, too. Empty for code of the application, whatever the names of its folders.
 */
export function packageOf(fileName: string): string {
  return placeOf(fileName).packageName;
}

const MODULES_FOLDER = '/node_modules/';

function findPackage(fileName: string): string {
  const path = fileName.replaceAll('\\', '/');
  const folderAt = path.lastIndexOf(MODULES_FOLDER);
  if (folderAt < 0) return '';
  const [scopeOrName = '', name = ''] = path.slice(folderAt + MODULES_FOLDER.length).split('/', 2);
  return scopeOrName.startsWith('@') && name ? `${scopeOrName}/${name}` : scopeOrName;
}

/** Identifies the frame's function: the same for all frames of one function, at whatever line. */
export function functionKey(frame: Frame): string {
  let key = keys.get(frame);
  if (key === undefined) {
    key = `${frame.fileName}:${frame.functionLineNumber}:${frame.functionColumnNumber}:${frame.functionName}`;
    keys.set(frame, key);
  }
  return key;
}

/** Cached, because every step of the attribution needs the keys of the same frames. */
const keys = new WeakMap<Frame, string>();

/** Identifies the functions of a stack. */
export function stackKey(frames: readonly Frame[]): string {
  let key = stackKeys.get(frames);
  if (key === undefined) {
    key = frames.map(functionKey).join('\n');
    stackKeys.set(frames, key);
  }
  return key;
}

/** Cached like them. */
const stackKeys = new WeakMap<readonly Frame[], string>();

export const ANONYMOUS = '<anonymous>';

/** What V8 calls the functions without a name in code of `eval`: of bundlers whose modules are texts, as of `next dev`. */
export const ANONYMOUS_IN_EVAL = 'eval';

export function isAnonymous({ functionName, evaluated }: Pick<Frame, 'functionName' | 'evaluated'>): boolean {
  if (functionName === '' || functionName === ANONYMOUS) return true;
  if (functionName === ANONYMOUS_IN_EVAL && evaluated === undefined) return true;
  return functionName.endsWith(`.${ANONYMOUS}`) || functionName.endsWith(` ${ANONYMOUS}`);
}

/** What can stand between a function's start and its parameters, besides its name. Only the lengths are used. */
const HEADERS_WITH_NAME = ['', '*', '#', 'get ', 'set ', 'async ', 'async *', 'function ', 'function* ', 'function *'];
const HEADERS_WITHOUT_NAME = ['function', 'function ', 'function*', 'function* ', 'function *', 'constructor'];

/**
 * Whether the frame is at the entry of its function, where V8 checks for interrupts: no code of the function has run
 * yet. V8 then gives the position of the opening parenthesis, or of the function itself for an arrow function.
 */
export function standsAtEntry(frame: Frame): boolean {
  if (frame.evaluated !== undefined) return frame.evaluated.isAtEntry;
  if (frame.functionLineNumber === 0 || frame.lineNumber !== frame.functionLineNumber) return false;
  const offset = frame.columnNumber - frame.functionColumnNumber;
  if (offset === 0) return true;
  if (headerLengths(HEADERS_WITHOUT_NAME, 0).has(offset)) return true;
  if (isAnonymous(frame)) return false;
  const name = withoutPrefix(frame.functionName, 'new ').split('.').at(-1) ?? '';
  const nameWithoutAccessor = withoutPrefix(name, name.startsWith('get ') ? 'get ' : 'set ');
  return headerLengths(HEADERS_WITH_NAME, nameWithoutAccessor.length).has(offset);
}

/** No line of formatted code is longer: from this column on, the code of a line is minified. */
export const MAX_COLUMN = 240;

function withoutPrefix(text: string, prefix: string): string {
  return text.startsWith(prefix) ? text.slice(prefix.length) : text;
}

function headerLengths(prefixes: readonly string[], nameLength: number): Set<number> {
  return new Set(
    prefixes.flatMap((prefix) => [prefix.length + nameLength, prefix.length + nameLength + 'async '.length]),
  );
}

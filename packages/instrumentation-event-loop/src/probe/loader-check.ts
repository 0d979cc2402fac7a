import module from 'node:module';
import process from 'node:process';

/** Files whose answer is kept. When there are more, all are dropped. */
const MAX_FILES = 1000;
const SCRIPTS = ['.js', '.mjs', '.cjs'];
const TYPESCRIPT = ['.ts', '.mts', '.cts'];
/** Packages that compile in hooks for `import`, or run what they have compiled by `node:vm`. */
const LOADERS = ['swc', 'ts-node', 'babel', 'esbuild', 'sucrase', 'vite', 'nuxt', 'astro'];
const PACKAGES = 'node_modules';
/** Hooks for `require` (pirates, ts-node, append-transform) replace this method of the module that is loaded. */
const HOOK = '_compile = ';

/**
 * Says of which files the code that runs may have been compiled in memory. Only of these, V8 is asked for the hash of the
 * text: for a bundle of 20 MB it needs 0.4 s. Called in interrupted code, it executes no regular expression.
 */
export class LoaderCheck {
  readonly #files = new Map<string, boolean>();

  readonly mayBeCompiled = (fileName: string): boolean => {
    const known = this.#files.get(fileName);
    if (known !== undefined) return known;
    const answer = attempt(fileName);
    if (this.#files.size >= MAX_FILES) this.#files.clear();
    this.#files.set(fileName, answer);
    return answer;
  };
}

/** An application may replace `process.env` and the like by what throws: no answer of the thread may be lost by that. */
function attempt(fileName: string): boolean {
  try {
    return mayBeCompiled(fileName);
  } catch {
    return false;
  }
}

function mayBeCompiled(fileName: string): boolean {
  const isFile = fileName.startsWith('/') || fileName.startsWith('file:') || fileName[1] === ':';
  if (!isFile || fileName.includes(PACKAGES)) return false;
  const isOfNode = isOneOf(fileName, SCRIPTS) || (isOneOf(fileName, TYPESCRIPT) && hasTypeScript());
  // Node.js itself removes types so that each position stays.
  return !isOfNode || hasLoader();
}

function isOneOf(fileName: string, extensions: readonly string[]): boolean {
  return extensions.some((extension) => fileName.endsWith(extension));
}

function hasTypeScript(): boolean {
  return Boolean((process.features as { typescript?: unknown }).typescript);
}

function hasLoader(): boolean {
  const { VITEST, JEST_WORKER_ID, NODE_OPTIONS } = process.env;
  if (VITEST !== undefined || JEST_WORKER_ID !== undefined) return true;
  const texts = [...process.execArgv, ...(NODE_OPTIONS ?? '').split(' '), process.argv[1] ?? ''];
  if (texts.map(packageIn).some((name) => LOADERS.some((loader) => name.includes(loader)))) return true;
  const { _extensions: extensions } = module as unknown as { _extensions?: Record<string, unknown> };
  return Object.values(extensions ?? {}).some((load) => typeof load === 'function' && textOf(load).includes(HOOK));
}

/** The part of an argument that can be the name of a package: a folder of the application may be called `vite-app`. */
function packageIn(argument: string): string {
  const value = argument.slice(argument.indexOf('=') + 1);
  const at = value.lastIndexOf(PACKAGES);
  if (at !== -1) return value.slice(at);
  const isPath = value.includes(':') || value.startsWith('/') || value.startsWith('.');
  return isPath ? '' : value;
}

/** No method of the application's own is called. */
function textOf(load: object): string {
  return Function.prototype.toString.call(load);
}

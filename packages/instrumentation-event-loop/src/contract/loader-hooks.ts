import type { Frame } from './model.js';

/**
 * The frames, by index, of a program's own hooks of `require`. Next.js, pirates, proxyquire and others put such functions in
 * the place of one of Node's loader, which calls them and which they call. They stand between any two modules of
 * a chain of loads, so they are on the stack for most of the time of the chain, and do none of the work. So does the
 * loader that a bundler writes into a bundle. Yarn's Plug'n'Play works there, but for the code that loads the module.
 */
export function loaderHooksAmong(frames: readonly Frame[]): number[] {
  const hooks = [...frames.keys()].filter(
    (i) => isBundlersLoader(frames[i]!, frames[i - 1]) || isPlugAndPlay(frames[i]!),
  );
  for (let i = frames.length - 1; i > 0; i--) {
    if (!isLoader(frames[i]!) || evaluatesModule(frames[i]!)) continue;
    // A hook can call another hook, or a part of itself.
    let top = i - 1;
    while (top >= 0 && !isOfNodeOrBuiltin(frames[top]!)) top--;
    if (top < 0 || frames[top]!.fileName !== LOADER) continue;
    for (let hook = i - 1; hook > top; hook--) hooks.push(hook);
  }
  return hooks;
}

/** Those of webpack and ncc. Minified ones have no name that would show them. */
const BUNDLERS_LOADERS: ReadonlySet<string> = new Set(['__webpack_require__', '__nccwpck_require__']);
/** Those of esbuild, and so of tsup: `__require2` where the bundle has another `__require`. */
const LOADERS_OF_ESBUILD: ReadonlySet<string> = new Set(['__require', '__require2', '__init', '__init2']);

function isBundlersLoader({ functionName }: Frame, called: Frame | undefined): boolean {
  if (BUNDLERS_LOADERS.has(functionName)) return true;
  // The function of a module has its path as its name: `src/orders.ts`.
  return LOADERS_OF_ESBUILD.has(functionName) && called !== undefined && EXTENSIONS.has(called.functionName.slice(-3));
}

/** The last characters of the paths of modules. */
const EXTENSIONS: ReadonlySet<string> = new Set(['.js', 'cjs', 'mjs', '.ts', 'cts', 'mts', 'tsx', 'jsx']);

/** Yarn writes these files into the project's root. They resolve each module, and read it from a zip file. */
const PLUG_AND_PLAY = ['/.pnp.cjs', '/.pnp.loader.mjs', '/.pnp.js'];

function isPlugAndPlay({ fileName }: Frame): boolean {
  const path = fileName.replaceAll('\\', '/');
  return PLUG_AND_PLAY.some((name) => path.endsWith(name));
}

const LOADER = 'node:internal/modules/cjs/loader';

/** The `require` of a module is in the second file. */
function isLoader({ fileName, isAsync }: Frame): boolean {
  return !isAsync && (fileName === LOADER || fileName === 'node:internal/modules/helpers');
}

/** What this function calls is no hook, but the code of a module. */
function evaluatesModule({ functionName }: Frame): boolean {
  return functionName.endsWith('_compile');
}

function isOfNodeOrBuiltin({ fileName }: Frame): boolean {
  return fileName === '' || fileName === '<anonymous>' || fileName.startsWith('node:');
}

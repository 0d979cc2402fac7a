import { createRequire } from 'node:module';
import process from 'node:process';
import { pathToFileURL } from 'node:url';
import { Object, stringIndexOf, stringSlice } from '../contract/built-ins.js';
import { resolveFromApplication } from '../application-package.js';

/**
 * Loads a package as the application would: resolved from the application's entry point or its working directory, not
 * from the location of this package. Undefined where it is not installed.
 */
export async function importFromApplication<T>(name: string): Promise<T | undefined> {
  const file = resolveFromApplication(name);
  if (file === undefined) return undefined;
  const loaded = (await load(file)) as T & { default?: T };
  return loaded.default ?? loaded;
}

/** Yarn's Plug'n'Play without its loader of ES modules finds a package in its archive for `require` only. */
async function load(file: string): Promise<unknown> {
  try {
    return await import(pathToFileURL(file).href);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_MODULE_NOT_FOUND') throw error;
    return createRequire(file)(file) as unknown;
  }
}

/** Parts of an SDK with which an application can set up providers of its own. */
const SDK_PARTS = ['@opentelemetry/sdk-trace', '@opentelemetry/sdk-trace-base', '@opentelemetry/sdk-metrics'];

/** Whether the application could load the parts of an SDK. */
export function canLoadSdkParts(): boolean {
  for (let i = 0; i < SDK_PARTS.length; i++) if (resolveFromApplication(SDK_PARTS[i]!) !== undefined) return true;
  return false;
}

/** Whether the application could load an SDK, whole or in parts. */
export function hasInstalledAnSdk(): boolean {
  return resolveFromApplication('@opentelemetry/sdk-node') !== undefined || canLoadSdkParts();
}

const SDK_FOLDERS = ['sdk-node', 'sdk-trace', 'sdk-trace-base'];
const ORGANIZATION = '@opentelemetry';

/** CommonJS packages that `sdk-node` 3.x loads also where it is loaded as an ES module itself. */
const LOADED_WITH_SDK = ['grpc-js', 'yaml'];

/** Whether the application has loaded a tracing SDK, which it may start later. */
export function hasLoadedAnSdk(): boolean {
  // The cache does not contain ES modules, but every SDK 2.x is CommonJS.
  const files = Object.keys(createRequire('/').cache);
  for (let i = 0; i < files.length; i++) if (isOfSdk(files[i]!)) return true;
  return isEsModule() && hasLoadedAll(files, LOADED_WITH_SDK);
}

/** Whether the entry point is an ES module. */
function isEsModule(): boolean {
  return (process as { mainModule?: unknown }).mainModule === undefined;
}

function hasLoadedAll(files: readonly string[], folders: readonly string[]): boolean {
  for (let i = 0; i < folders.length; i++) {
    let isLoaded = false;
    for (let j = 0; j < files.length && !isLoaded; j++) isLoaded = isIn(files[j]!, folders[i]!);
    if (!isLoaded) return false;
  }
  return true;
}

function isIn(file: string, folder: string): boolean {
  for (let at = stringIndexOf(file, folder); at >= 0; at = stringIndexOf(file, folder, at + 1)) {
    if (isSeparator(file[at - 1]) && isSeparator(file[at + folder.length])) return true;
  }
  return false;
}

/** By the names of folders, without a regular expression: the application can replace `RegExp.prototype.exec`. */
function isOfSdk(file: string): boolean {
  for (let at = stringIndexOf(file, ORGANIZATION); at >= 0; at = stringIndexOf(file, ORGANIZATION, at + 1)) {
    const start = at + ORGANIZATION.length + 1;
    for (let i = 0; i < SDK_FOLDERS.length; i++) {
      const name = SDK_FOLDERS[i]!;
      if (stringSlice(file, start, start + name.length) === name && isSeparator(file[start + name.length])) return true;
    }
  }
  return false;
}

function isSeparator(character: string | undefined): boolean {
  return character === '/' || character === '\\';
}

import { createRequire } from 'node:module';
import process from 'node:process';
import { pathToFileURL } from 'node:url';
import { resolveFromApplication } from '../application-package.js';

/**
 * Loads a package as the application would: resolved from the application's entry point or its working directory, not
 * from the location of this package. Undefined where it is not installed.
 */
export async function importFromApplication<T>(name: string): Promise<T | undefined> {
  const file = resolveFromApplication(name);
  if (file === undefined) return undefined;
  const loaded = (await import(pathToFileURL(file).href)) as T & { default?: T };
  return loaded.default ?? loaded;
}

/** Parts of an SDK with which an application can set up providers of its own. */
const SDK_PARTS = ['@opentelemetry/sdk-trace', '@opentelemetry/sdk-trace-base', '@opentelemetry/sdk-metrics'];

/** Whether the application could load the parts of an SDK. */
export function canLoadSdkParts(): boolean {
  return SDK_PARTS.some((name) => resolveFromApplication(name) !== undefined);
}

/** Whether the application could load an SDK, whole or in parts. */
export function hasInstalledAnSdk(): boolean {
  return resolveFromApplication('@opentelemetry/sdk-node') !== undefined || canLoadSdkParts();
}

/** Whether the application has loaded a tracing SDK, which it may start later. */
export function hasLoadedAnSdk(): boolean {
  // The cache does not contain ES modules, but every SDK 2.x is CommonJS.
  const { cache } = createRequire(process.execPath);
  return Object.keys(cache).some((file) =>
    /[\\/]@opentelemetry[\\/](sdk-node|sdk-trace|sdk-trace-base)[\\/]/.test(file),
  );
}

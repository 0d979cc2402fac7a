import { createRequire } from 'node:module';
import path from 'node:path';
import process from 'node:process';
import { pathToFileURL } from 'node:url';

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

/** Whether the application could load the package. */
export function canResolveFromApplication(name: string): boolean {
  return resolveFromApplication(name) !== undefined;
}

/** Whether the application has loaded a tracing SDK, which it may start later. */
export function hasLoadedAnSdk(): boolean {
  // The cache does not contain ES modules, but every SDK 2.x is CommonJS.
  const { cache } = createRequire(process.execPath);
  return Object.keys(cache).some((file) =>
    /[\\/]@opentelemetry[\\/](sdk-node|sdk-trace|sdk-trace-base)[\\/]/.test(file),
  );
}

function resolveFromApplication(name: string): string | undefined {
  for (const origin of origins()) {
    try {
      return createRequire(origin).resolve(name);
    } catch {
      // Not installed there.
    }
  }
  return undefined;
}

function origins(): string[] {
  const entry = process.argv[1];
  try {
    return [...(entry === undefined ? [] : [path.resolve(entry)]), path.join(process.cwd(), 'noop.js')];
  } catch {
    return entry === undefined ? [] : [entry]; // the working directory has been deleted
  }
}

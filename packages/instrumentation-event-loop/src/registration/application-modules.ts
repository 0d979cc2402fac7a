import { createRequire } from 'node:module';
import path from 'node:path';
import process from 'node:process';
import { pathToFileURL } from 'node:url';

/**
 * Loads a package as the application would: resolved from the application's entry point or its working directory, not
 * from the location of this package. Undefined where it is not installed.
 */
export async function importFromApplication<T>(name: string): Promise<T | undefined> {
  for (const origin of origins()) {
    const require = createRequire(origin);
    let resolved: string;
    try {
      resolved = require.resolve(name);
    } catch {
      continue;
    }
    const loaded = (await import(pathToFileURL(resolved).href)) as T & { default?: T };
    return loaded.default ?? loaded;
  }
  return undefined;
}

/** Whether the application has loaded a tracing SDK, which it may start later. */
export function hasLoadedAnSdk(): boolean {
  // The cache does not contain ES modules, but every SDK 2.x is CommonJS.
  const { cache } = createRequire(path.join(process.cwd(), 'noop.js'));
  return Object.keys(cache).some((file) =>
    /[\\/]@opentelemetry[\\/](sdk-node|sdk-trace|sdk-trace-base)[\\/]/.test(file),
  );
}

function origins(): string[] {
  const entry = process.argv[1];
  return [...(entry === undefined ? [] : [path.resolve(entry)]), path.join(process.cwd(), 'noop.js')];
}

import { createRequire } from 'node:module';
import path from 'node:path';
import process from 'node:process';
import { pathToFileURL } from 'node:url';

/**
 * Loads a package as the application would: resolved from its entry point or its working directory, never from where this
 * package happens to stand. Undefined where it is not installed.
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

/** Whether the application has loaded a tracing SDK, which it may be about to start. */
export function hasLoadedAnSdk(): boolean {
  // ES modules are not to be seen here, but every SDK of the 2.x line is CommonJS.
  const { cache } = createRequire(path.join(process.cwd(), 'noop.js'));
  return Object.keys(cache).some((file) =>
    /[\\/]@opentelemetry[\\/](sdk-node|sdk-trace|sdk-trace-base)[\\/]/.test(file),
  );
}

function origins(): string[] {
  const entry = process.argv[1];
  return [...(entry === undefined ? [] : [path.resolve(entry)]), path.join(process.cwd(), 'noop.js')];
}

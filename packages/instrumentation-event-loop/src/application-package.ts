import { createRequire } from 'node:module';
import path from 'node:path';
import process from 'node:process';

/**
 * The file of a package as the application would load it: resolved from the application's entry point or its working
 * directory, not from the location of this package. Undefined where it is not installed.
 */
export function resolveFromApplication(name: string): string | undefined {
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

import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { isRegularFile } from './read-regular-file.js';

/** Directories above the generated file in which a source of webpack is looked for. */
const MAX_PARENTS = 8;

/**
 * The path of a source that a map names, relative to the map's directory; a URL where it is no file of this machine. It
 * is a name: nothing is read from there.
 */
export function sourcePath(source: string, directory: string, generatedPath: string): string {
  if (source.startsWith('file:')) return filePathOf(source) ?? source;
  if (source.startsWith('webpack:')) return webpackPath(source, generatedPath) ?? source;
  // Made-up modules of bundlers, and what other URLs name.
  if (source.startsWith('\0') || /^[a-z][a-z0-9+.-]+:/i.test(source)) return source;
  return path.resolve(directory, source);
}

function filePathOf(url: string): string | undefined {
  try {
    return fileURLToPath(url);
  } catch {
    return undefined;
  }
}

/** `webpack://shop/./src/orders.ts` is relative to the directory in which webpack ran: one above the generated file. */
function webpackPath(source: string, generatedPath: string): string | undefined {
  const name = source.slice('webpack:'.length).split('?', 1)[0]!;
  const withoutNamespace = name.startsWith('//') ? name.slice(name.indexOf('/', 2) + 1) : name;
  const relative = path.normalize(withoutNamespace);
  if (relative === '.') return undefined;
  if (path.isAbsolute(relative)) return isRegularFile(relative) ? relative : undefined;
  let directory = path.dirname(generatedPath);
  for (let i = 0; i < MAX_PARENTS; i++) {
    const candidate = path.join(directory, relative);
    if (candidate !== generatedPath && isRegularFile(candidate)) return candidate;
    const parent = path.dirname(directory);
    if (parent === directory) return undefined;
    directory = parent;
  }
  return undefined;
}

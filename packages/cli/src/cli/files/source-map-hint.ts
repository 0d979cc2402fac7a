import { existsSync } from 'node:fs';
import { SourceMap, type SourceMapPayload } from 'node:module';
import path from 'node:path';

import { rankCulprits } from '../../model/blocks/culprits.js';
import { frameKind } from '../../model/stacks/stack.js';
import { shortPath } from '../../model/text/format.js';
import type { Block, CodeLocation, Instance } from '../../model/types.js';
import { readRegularFile } from './regular-file.js';

const FLAG = '--enable-source-maps';
const JAVASCRIPT = /\.[cm]?js$/;
const MAX_FILE_BYTES = 32 * 1024 * 1024;
const COMMENT = '# sourceMappingURL=';
/** Only the first culprits are looked at: the summary shows no more. */
const MAX_CULPRITS = 15;

/**
 * A sentence for the summary: a culprit's file has a source map that was not used. Undefined if there is none, or if
 * Node.js reads the maps.
 */
export function sourceMapHint(
  blocks: readonly Block[],
  processes: readonly Instance[],
  nodeOptions = '',
  directory?: string,
): string | undefined {
  const reads = new Set(processes.filter(({ sourceMaps }) => sourceMaps).map(({ id }) => id));
  if (nodeOptions.includes(FLAG)) return undefined;
  const culprits = rankCulprits(blocks.filter(({ instance }) => !reads.has(instance))).slice(0, MAX_CULPRITS);
  const mapped = culprits.find(({ location }) => location && hasUnusedMap(location))?.location;
  if (mapped === undefined) return undefined;
  return (
    `${shortPath(mapped.filePath, directory)} has a source map that was not used: it is older than the file, does not fit it, cannot ` +
    'be read, or LOOPWATCH_SOURCE_MAPS is false. Build both again.'
  );
}

/** The application's own files only: who looks for a dependency's source has its package. */
function hasUnusedMap(location: CodeLocation): boolean {
  const file = location.filePath;
  const isApplication = frameKind({ functionName: '', filePath: file, isAwait: false, text: '' }) === 'application';
  if (!isApplication || !path.isAbsolute(file) || !JAVASCRIPT.test(file)) return false;
  try {
    const read = readRegularFile(file, MAX_FILE_BYTES, (realPath) => JAVASCRIPT.test(realPath));
    if (typeof read !== 'object') return false;
    // Node.js follows the comment only: a map that lies beside the file without it is not read.
    const url = mapUrlOf(read.text);
    if (url === undefined || url.startsWith('data:')) return url !== undefined;
    return !URL.canParse(url) && canMap(path.resolve(path.dirname(file), decodeURIComponent(url)), location);
  } catch {
    // The address in the comment cannot be parsed.
    return false;
  }
}

/**
 * Whether the map could say where the line comes from: a map that cannot be read might. Builds leave code out of their
 * maps, such as that of packages (Nitro) and their own runtime: there, the place in the built file is all that is known.
 */
function canMap(mapFile: string, { lineNumber, columnNumber }: CodeLocation): boolean {
  if (!existsSync(mapFile)) return false;
  const read = readRegularFile(mapFile, MAX_FILE_BYTES, () => true);
  if (typeof read !== 'object') return true;
  try {
    const map = new SourceMap(JSON.parse(read.text) as SourceMapPayload);
    const entry = map.findEntry(lineNumber - 1, columnNumber - 1);
    return 'generatedLine' in entry && entry.generatedLine === lineNumber - 1;
  } catch {
    return true;
  }
}

function mapUrlOf(code: string): string | undefined {
  const start = code.lastIndexOf(COMMENT);
  if (start === -1) return undefined;
  // A map in the comment itself has megabytes; the start of its URL is enough.
  return /^[^\s*'"`]+/.exec(code.slice(start + COMMENT.length, start + COMMENT.length + 1024))?.[0];
}

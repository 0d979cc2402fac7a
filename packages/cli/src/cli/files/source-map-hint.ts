import { existsSync } from 'node:fs';
import path from 'node:path';

import { rankCulprits } from '../../model/blocks/culprits.js';
import { frameKind } from '../../model/stacks/stack.js';
import { shortPath } from '../../model/text/format.js';
import type { Block, Instance } from '../../model/types.js';
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
  const files = new Set(culprits.flatMap(({ location }) => location?.filePath ?? []));
  const mapped = [...files].find(hasUnreadMap);
  if (mapped === undefined) return undefined;
  return (
    `${shortPath(mapped, directory)} has a source map that was not used: it is older than the file, does not fit it, cannot ` +
    'be read, or LOOPWATCH_SOURCE_MAPS is false. Build both again.'
  );
}

/** The application's own files only: who looks for a dependency's source has its package. */
function hasUnreadMap(file: string): boolean {
  const isApplication = frameKind({ functionName: '', filePath: file, isAwait: false, text: '' }) === 'application';
  if (!isApplication || !path.isAbsolute(file) || !JAVASCRIPT.test(file)) return false;
  try {
    const read = readRegularFile(file, MAX_FILE_BYTES, (realPath) => JAVASCRIPT.test(realPath));
    if (typeof read !== 'object') return false;
    // Node.js follows the comment only: a map that lies beside the file without it is not read.
    const url = mapUrlOf(read.text);
    if (url === undefined || url.startsWith('data:')) return url !== undefined;
    return !URL.canParse(url) && existsSync(path.resolve(path.dirname(file), decodeURIComponent(url)));
  } catch {
    // The address in the comment cannot be parsed.
    return false;
  }
}

function mapUrlOf(code: string): string | undefined {
  const start = code.lastIndexOf(COMMENT);
  if (start === -1) return undefined;
  // A map in the comment itself has megabytes; the start of its URL is enough.
  return /^[^\s*'"`]+/.exec(code.slice(start + COMMENT.length, start + COMMENT.length + 1024))?.[0];
}

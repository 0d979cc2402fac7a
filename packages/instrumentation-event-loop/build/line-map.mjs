import { decode, encode } from '@jridgewell/sourcemap-codec';

/**
 * Reduces a source map to what a stack trace needs: the source file and the line of each place. The columns of a line,
 * the names, which the output keeps, and the text of the sources are most of a map. Of each line of the output, it keeps
 * its first place, and each place where the line of the source changes.
 * @param {{ mappings: string, names: string[], sourcesContent?: unknown }} map
 */
export function lineMap(map) {
  return { ...map, sourcesContent: undefined, names: [], mappings: encode(decode(map.mappings).map(lineChanges)) };
}

/** @param {readonly import('@jridgewell/sourcemap-codec').SourceMapSegment[]} segments of one line of the output */
function lineChanges(segments) {
  const kept = [];
  for (const [column, source, line, sourceColumn] of segments) {
    if (source === undefined) continue;
    const [, lastSource, lastLine] = kept.at(-1) ?? [];
    if (source !== lastSource || line !== lastLine) kept.push([column, source, line, sourceColumn]);
  }
  return kept;
}

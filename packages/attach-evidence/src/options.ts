import { parseArgs } from 'node:util';

import { nodeMajors } from '@loopwatch/node-binaries';
import type { NodeMajor } from '@loopwatch/node-binaries';

import { parts } from './parts/part.ts';
import type { Part } from './parts/part.ts';

export interface EvidenceOptions {
  readonly parts: readonly Part[];
  readonly nodeMajors: readonly NodeMajor[];
  readonly detective: string | undefined;
  readonly write: boolean;
}

export const help = `pnpm --filter @loopwatch/attach-evidence evidence [options]

Attaches to programs and servers in every way, and measures what it does to them and how right it is.

  --parts LIST        ${parts.join(', ')}
                      (default: all but compare, which runs on one major)
  --node LIST         Node majors: ${nodeMajors.join(', ')} (default: all)
  --detective FOLDER  for compare: node-loop-detective with its dependencies
  --write             also writes packages/attach-evidence/results and docs/evidence/attach.md
  --help              prints this text

Lists are separated by commas.`;

/** Throws an error with the expected values when an option is wrong. */
export function parseOptions(commandArguments: readonly string[]): EvidenceOptions | 'help' {
  const { values } = parseArgs({
    args: [...commandArguments],
    options: {
      parts: { type: 'string' },
      node: { type: 'string' },
      detective: { type: 'string' },
      write: { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  if (values.help) return 'help';
  const chosen = choose('--parts', values.parts, parts).filter(
    (part) => values.parts !== undefined || part !== 'compare',
  );
  if (chosen.includes('compare') && values.detective === undefined) {
    throw new Error('Expected --detective for the part compare, got none.');
  }
  return {
    parts: chosen,
    nodeMajors: choose('--node', values.node, nodeMajors),
    detective: values.detective,
    write: values.write,
  };
}

function choose<Item>(option: string, list: string | undefined, all: readonly Item[]): readonly Item[] {
  if (list === undefined) return all;
  return list.split(',').map((name) => {
    const item = all.find((candidate) => String(candidate) === name.trim());
    if (item === undefined) throw new Error(`Expected ${option} among ${all.join(', ')}, got "${name}".`);
    return item;
  });
}

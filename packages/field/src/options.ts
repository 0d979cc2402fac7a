import { parseArgs } from 'node:util';

import { nodeMajors } from '@loopwatch/node-binaries';
import type { NodeMajor } from '@loopwatch/node-binaries';
import { choose } from '@loopwatch/test-support';

import { catalogue } from './catalogue/catalogue.ts';
import { modes } from './program.ts';
import type { FieldProgram, Mode } from './program.ts';

export interface FieldOptions {
  readonly programs: readonly FieldProgram[];
  readonly nodeMajors: readonly NodeMajor[];
  readonly modes: readonly Mode[];
  readonly write: boolean;
}

const DEFAULT_MAJORS = '20,24';

export const help = `npm run test:field -- [options]

Runs programs of the npm registry without and with Loopwatch, compares what they do, and checks every reported block
against V8's CPU profile of the same run.

  --programs LIST   ${wrapped(catalogue.map(({ name }) => name))}
                    (default: all)
  --node LIST       Node majors: ${nodeMajors.join(', ')} (default: ${DEFAULT_MAJORS})
  --modes LIST      ${modes.join(', ')} (default: all that serve)
  --write           also writes packages/field/results and regenerates docs/evidence/field.md
  --help            prints this text

Lists are separated by commas.`;

/** Throws an error with the expected values when an option is wrong. */
export function parseOptions(commandArguments: readonly string[]): FieldOptions | 'help' {
  const { values } = parseArgs({
    args: [...commandArguments],
    options: {
      programs: { type: 'string' },
      node: { type: 'string', default: DEFAULT_MAJORS },
      modes: { type: 'string' },
      write: { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  if (values.help) return 'help';
  return {
    programs: choose('--programs', values.programs, catalogue, ({ name }) => name),
    nodeMajors: choose('--node', values.node, nodeMajors, String),
    modes: choose('--modes', values.modes, modes, String),
    write: values.write,
  };
}

function wrapped(names: readonly string[]): string {
  const lines = [''];
  for (const name of names) {
    const line = lines.at(-1)!;
    if (line.length + name.length > 90) lines.push(name);
    else lines[lines.length - 1] = line === '' ? name : `${line}, ${name}`;
  }
  return lines.join(',\n                    ');
}

import { outcomes } from '../grade.ts';
import type { Effect } from './ablate.ts';
import type { Evidence, RecordedRun } from '../recording.ts';
import { grouped } from '../grouped.ts';
import { constantLines } from './constants.ts';

/** docs/evidence/ablation.md: what each number and each rule of the judgement is worth. */
export function ablationDocument(effects: readonly Effect[], { runs }: Evidence, all: readonly RecordedRun[]): string {
  const periods = runs.reduce((sum, run) => sum + run.periods.length, 0);
  const part = runs.length === all.length ? '' : `, of one in ${Math.round(all.length / runs.length)} runs,`;
  const sites = grouped(effects, ({ site }) => site);
  const numbers = [...sites].filter(([{ kind }]) => kind === 'number');
  const named = numbers.filter(([{ functionName }]) => functionName === '');
  const inline = numbers.filter(([{ functionName }]) => functionName !== '');
  const rules = effects.filter(({ site }) => site.kind === 'rule');
  const moving = rules.filter(({ changed, failure }) => changed > 0 || failure !== undefined);
  const still = rules.filter((effect) => !moving.includes(effect));
  const held = still.filter(({ heldBy }) => heldBy !== undefined);
  const unheld = still.filter((effect) => !held.includes(effect));
  const stillNumbers = numbers.filter(([, both]) => both.every(({ changed, failure }) => changed === 0 && !failure));
  return `# What each rule of the judgement is worth

<!-- Written by \`npm run evidence -- ablation\`: change that program, not this page. -->

Each number in src/blocks is halved and doubled, and each rule left out: an \`if\`, a choice, a part of a condition. Then
the ${periods} recorded busy periods${part} are judged again. The tables show how many verdicts differ, and how many more, or
fewer, are right, marked as a guess, absent, wrong. A verdict that differs may be right before and after.

No verdict needs ${still.length} of ${rules.length} rules and ${stillNumbers.length} of ${numbers.length} numbers: no recording has what they are for. For these, the unit
tests of blocks run as well, and the first one that fails is named: ${held.length} rules are held by one. The other ${unheld.length}
are mostly conditions for values that are not known, and short-cuts.

How the recordings are made, and what "right" means, is in
packages/instrumentation-event-loop/test/evidence/README.md.

## Numbers with a name

${numberTable(named)}

Why each has its value:

${constantLines().join('\n')}

## Numbers within functions

${numberTable(inline)}

## Rules that move verdicts

${ruleTable([...moving].sort((a, b) => b.changed - a.changed))}

## Rules that only a unit test needs

${listOf(held)}

## Rules that neither needs

${listOf(unheld)}
`;
}

function numberTable(entries: readonly (readonly [Effect['site'], readonly Effect[]])[]): string {
  const rows = entries.map(([{ file, functionName, text, value }, [half, double]]) => [
    file.replace('blocks/', ''),
    functionName === '' ? code(text) : `${code(text)} in ${code(functionName)}`,
    String(Math.round(value! * 1000) / 1000),
    String(half!.reached),
    described(half!),
    described(double!),
  ]);
  return table(['file', 'number', 'value', 'reached', '× ½', '× 2'], rows);
}

function ruleTable(effects: readonly Effect[]): string {
  const rows = effects.map((effect) => [
    effect.site.file.replace('blocks/', ''),
    code(effect.site.functionName),
    code(effect.site.text),
    String(effect.reached),
    described(effect),
  ]);
  return table(['file', 'function', 'rule', 'reached', 'left out'], rows);
}

function listOf(effects: readonly Effect[]): string {
  const files = grouped(effects, ({ site }) => site.file);
  return [...files]
    .map(([file, some]) => {
      const lines = some.map(({ site, heldBy }) => {
        return `  - ${code(site.functionName)}: ${code(site.text)}${heldBy === undefined ? '' : `: ${code(heldBy)}`}`;
      });
      return `- ${file}\n${lines.join('\n')}`;
    })
    .join('\n');
}

function described({ changed, more, failure }: Effect): string {
  if (failure !== undefined) return 'throws';
  if (changed === 0) return '0';
  const parts = [...outcomes].reverse().flatMap((outcome) => {
    const count = more[outcome];
    return count === 0 ? [] : [`${count > 0 ? '+' : '−'}${Math.abs(count)} ${outcome}`];
  });
  return `${changed}${parts.length === 0 ? '' : `: ${parts.join(', ')}`}`;
}

function code(text: string): string {
  return `\`${text.replaceAll('`', "'").replaceAll('|', '\\|')}\``;
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}

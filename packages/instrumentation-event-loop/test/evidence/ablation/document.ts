import { outcomes } from '../grade.ts';
import type { Effect } from './ablate.ts';
import type { Evidence, RecordedRun } from '../recording.ts';
import { grouped } from '../grouped.ts';
import { constantLines } from './constants.ts';

/** Rules on the page; all of them are in the list. */
const SHOWN_RULES = 20;

/** What each number and each rule of the judgement is worth: a page to read, and the list of all of them. */
export interface Ablation {
  /** docs/evidence/ablation.md. */
  readonly page: string;
  /** ablation.txt. */
  readonly list: string;
}

export function ablationDocuments(
  effects: readonly Effect[],
  { runs }: Evidence,
  all: readonly RecordedRun[],
): Ablation {
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
  const sorted = [...moving].sort((a, b) => b.changed - a.changed);
  const page = `# What each rule of the judgement is worth

<!-- Written by \`npm run evidence -- ablation\`: change that program, not this page. -->

Each number in src/blocks is halved and doubled, and each rule left out: an \`if\`, a choice, a part of a condition. Then
the ${periods} recorded busy periods${part} are judged again. The tables show how many verdicts differ, and how many more, or
fewer, are right, marked as a guess, absent, wrong. A verdict that differs may be right before and after.

No verdict needs ${still.length} of ${rules.length} rules and ${stillNumbers.length} of ${numbers.length} numbers: no recording has what they are for. For these, the unit
tests of blocks run as well, and the first one that fails is named: ${held.length} rules are held by one. The other ${unheld.length}
are mostly conditions for values that are not known, and short-cuts.

All rules, with the unit tests that hold them, and the numbers within functions are in the
[list](../../packages/instrumentation-event-loop/test/evidence/ablation.txt). How the recordings are made, and what "right"
means, is in packages/instrumentation-event-loop/test/evidence/README.md.

## Numbers with a name

${numberTable(named)}

Why each has its value:

${constantLines().join('\n')}

## The ${SHOWN_RULES} rules that move most verdicts

${ruleTable(sorted.slice(0, SHOWN_RULES))}
`;
  const list = `# What each rule of the judgement is worth: docs/evidence/ablation.md says how it is measured. Written by
# \`npm run evidence -- ablation\`: read the difference before you commit it.

# Numbers within functions: reached, × ½, × 2
${inline.map(([site, [half, double]]) => `${placeOf(site)} | ${half!.reached} | ${described(half!)} | ${described(double!)}`).join('\n')}

# Rules that move verdicts: reached, left out
${sorted.map((effect) => `${placeOf(effect.site)} | ${effect.reached} | ${described(effect)}`).join('\n')}

# Rules that only a unit test needs: which
${held.map(({ site, heldBy }) => `${placeOf(site)} | ${heldBy!}`).join('\n')}

# Rules that neither needs
${unheld.map(({ site }) => placeOf(site)).join('\n')}
`;
  return { page, list };
}

function placeOf({ file, functionName, text }: Effect['site']): string {
  return `${file.replace('blocks/', '')} ${functionName}: ${text}`;
}

function numberTable(entries: readonly (readonly [Effect['site'], readonly Effect[]])[]): string {
  const rows = entries.map(([{ file, text, value }, [half, double]]) => [
    file.replace('blocks/', ''),
    code(text),
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

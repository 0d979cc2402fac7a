const MAX_LINE_LENGTH = 120;
const setOperator = /^ (or|and|unless) /;

/** A long expression with each alternative and each condition on a line of its own, indented by its parentheses. */
export function inLines(expr: string): string {
  if (expr.length <= MAX_LINE_LENGTH) return expr;
  let depth = 0;
  let isQuoted = false;
  let text = '';
  for (const [index, character] of [...expr].entries()) {
    if (character === '"' && expr[index - 1] !== '\\') isQuoted = !isQuoted;
    if (!isQuoted && character === '(') depth += 1;
    if (!isQuoted && character === ')') depth -= 1;
    const isBreak = !isQuoted && character === ' ' && setOperator.test(expr.slice(index, index + 8));
    text += isBreak ? `\n${'  '.repeat(depth)}` : character;
  }
  return text;
}

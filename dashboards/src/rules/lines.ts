const MAX_LINE_LENGTH = 120;
const setOperator = /^ (or|and|unless) /;

/** A long expression with each alternative and each condition on a line of its own, indented by its parentheses. */
export function inLines(expr: string): string {
  if (expr.length <= MAX_LINE_LENGTH) return expr;
  let depth = 0;
  let isQuoted = false;
  let text = '';
  for (let index = 0; index < expr.length; index += 1) {
    const character = expr[index]!;
    if (character === '"' && expr[index - 1] !== '\\') isQuoted = !isQuoted;
    if (!isQuoted && character === '(') depth += 1;
    if (!isQuoted && character === ')') depth -= 1;
    const isBreak = !isQuoted && character === ' ' && setOperator.test(expr.slice(index, index + 8));
    text += isBreak ? `\n${'  '.repeat(depth)}` : character;
  }
  return text;
}

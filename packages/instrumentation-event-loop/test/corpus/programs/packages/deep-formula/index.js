// Evaluates formulas by mutual recursion, as deep as they are nested.
export function evaluate(formula, values) {
  if (typeof formula === 'number') return formula;
  if (typeof formula === 'string') return values.get(formula) ?? 0;
  return apply(formula.operator, formula.operands, values);
}

function apply(operator, operands, values) {
  const [first, ...rest] = operands.map((operand) => evaluate(operand, values));
  return operator === 'sum' ? rest.reduce((a, b) => a + b, first) : rest.reduce((a, b) => (a * b) % 9973, first);
}

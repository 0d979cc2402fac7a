'use strict';
// A third-party validator that compiles its schemas.
module.exports.compileSchema = function compileSchema(schema) {
  const checks = Object.entries(schema).map(
    ([name, type]) =>
      `if (typeof row.${name} !== '${type}' || String(row.${name}).trim() === '') errors.push('${name}');`,
  );
  return new Function(`return function validate(row) { const errors = []; ${checks.join('\n')} return errors; }`)();
};

import {
  BOOLEAN_RULES,
  format,
  isWithin,
  NUMBER_RULES,
  rangeOf,
  type BooleanOption,
  type NumberOption,
  type NumberRule,
  type Values,
} from './options.js';

const ENV_LIVENESS_HOST = 'LOOPWATCH_LIVENESS_HOST';

/** Reads the options in environment variables. Calls `warn` for an invalid one, which is not used. */
export function readEnvironment(
  env: Readonly<Record<string, string | undefined>>,
  warn: (message: string) => void,
): Values {
  const values: Values = {};
  for (const [key, rule] of Object.entries(NUMBER_RULES) as [NumberOption, NumberRule][]) {
    const text = env[rule.env]?.trim();
    if (text === undefined || text === '') continue;
    const value = Number(text);
    if (isWithin(value, rule)) values[key] = value;
    else
      warn(
        `Expected ${rule.env} to be ${rangeOf(rule)}, got ${format(text)}. The default, ${rule.defaultValue}, applies.`,
      );
  }
  for (const [key, rule] of Object.entries(BOOLEAN_RULES) as [BooleanOption, (typeof BOOLEAN_RULES)[BooleanOption]][]) {
    const text = env[rule.env]?.trim().toLowerCase();
    if (text === undefined || text === '') continue;
    if (text === 'true' || text === 'false') values[key] = text === 'true';
    else
      warn(
        `Expected ${rule.env} to be true or false, got ${format(text)}. The default, ${rule.defaultValue}, applies.`,
      );
  }
  return values;
}

/** The host of the liveness answer in the environment. */
export function livenessHostIn(env: Readonly<Record<string, string | undefined>>): string | undefined {
  const host = env[ENV_LIVENESS_HOST]?.trim();
  return host === '' ? undefined : host;
}

/** The variables of all options. */
export function optionVariables(): string[] {
  const rules = [...Object.values(NUMBER_RULES), ...Object.values(BOOLEAN_RULES)];
  return rules.map(({ env }) => env).concat(ENV_LIVENESS_HOST);
}

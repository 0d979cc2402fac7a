/*
 * Rules for the fields of a value that came from elsewhere. Each takes a value and returns it, or undefined where it is
 * not of that type or range.
 */
import type { Rule } from '../../../model/rules.js';

interface OptionalRule<T> {
  readonly optional: Rule<T>;
}

/** A rule for each field: one that is added to the type needs a rule here. */
type Fields<T> = {
  readonly [K in keyof T]-?: undefined extends T[K] ? OptionalRule<Exclude<T[K], undefined>> : Rule<T[K]>;
};

/** About thirty years. */
const MAX_LENGTH_MS = 1e12;

/** A longer text is cut; with `whole`, it is not accepted. */
export function text(maxLength: number, kind: 'cut' | 'whole' = 'cut'): Rule<string> {
  return (value) => {
    if (typeof value !== 'string' || (kind === 'whole' && value.length > maxLength)) return undefined;
    return value.length > maxLength ? value.slice(0, maxLength) : value;
  };
}

export function number(min: number, max: number): Rule<number> {
  return (value) => (typeof value === 'number' && value >= min && value <= max ? value : undefined);
}

export const lengthMs = number(0, MAX_LENGTH_MS);

/** A whole number from 0. */
export function whole(max: number): Rule<number> {
  return (value) => (Number.isInteger(value) ? number(0, max)(value) : undefined);
}

export function arrayOf<T>(rule: Rule<T>, maxLength: number): Rule<readonly T[]> {
  return (value) => {
    if (!Array.isArray(value) || value.length > maxLength) return undefined;
    const items = value.map(rule);
    return items.includes(undefined) ? undefined : (items as T[]);
  };
}

/** The field may be absent. Where it is not as it should be, it is left out. */
export function optional<T>(rule: Rule<T>): OptionalRule<T> {
  return { optional: rule };
}

/** An object with these fields alone. */
export function object<T>(fields: Fields<T>): Rule<T> {
  const rules = Object.entries<Rule<unknown> | OptionalRule<unknown>>(fields);
  return (value) => {
    if (typeof value !== 'object' || value === null) return undefined;
    const result: Record<string, unknown> = {};
    for (const [key, rule] of rules) {
      const given = Object.hasOwn(value, key) ? (value as Record<string, unknown>)[key] : undefined;
      const field = typeof rule === 'function' ? rule(given) : rule.optional(given);
      if (field !== undefined) result[key] = field;
      else if (typeof rule === 'function') return undefined;
    }
    return result as T;
  };
}

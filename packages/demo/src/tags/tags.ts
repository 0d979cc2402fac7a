/** Words of lower-case letters and digits, each with an optional dash or underscore after it. Backtracks. */
export function isValidTag(tag: string): boolean {
  return /^([a-z0-9]+[-_]?)+$/.test(tag);
}

/** The same language; each text is matched in one way only. */
export function isValidTagLinear(tag: string): boolean {
  return /^[a-z0-9]+(?:[-_][a-z0-9]+)*[-_]?$/.test(tag);
}

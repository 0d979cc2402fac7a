/** Words of lower-case letters and digits, each followed by an optional dash or underscore. The pattern backtracks. */
export function isValidTag(tag: string): boolean {
  return /^([a-z0-9]+[-_]?)+$/.test(tag);
}

/** The fixed variant: accepts the same tags, but there is only one way to match a text. */
export function isValidTagLinear(tag: string): boolean {
  return /^[a-z0-9]+(?:[-_][a-z0-9]+)*[-_]?$/.test(tag);
}

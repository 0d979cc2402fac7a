/** The object without the fields that are undefined: an absent value is an absent field. */
export function withoutUndefined(value: object): object {
  return Object.fromEntries(Object.entries(value).filter(([, item]) => item !== undefined));
}

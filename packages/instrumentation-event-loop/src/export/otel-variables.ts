export type Environment = Readonly<Record<string, string | undefined>>;

/** The value of an environment variable, without spaces around it; undefined where it is missing or empty. */
export function readVariable(env: Environment, name: string): string | undefined {
  const value = env[name]?.trim();
  return value === '' ? undefined : value;
}

/** `key1=value1,key2=value2` with percent-encoded values, as in W3C Baggage. Malformed pairs are ignored. */
export function parseHeaders(text = ''): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const pair of text.split(',')) {
    const separator = pair.indexOf('=');
    const key = pair.slice(0, separator).trim();
    if (separator <= 0 || !/^[\w!#$%&'*+.^`|~-]+$/.test(key)) continue;
    try {
      headers[key.toLowerCase()] = decodeURIComponent(pair.slice(separator + 1).trim());
    } catch {
      continue;
    }
  }
  return headers;
}

/** What a request asks for. */
export interface RequestTarget {
  /** As it was sent: neither decoded nor normalized. */
  readonly path: string;
  readonly query: URLSearchParams;
  /** Host and port of an absolute target (`GET http://host/path`), which counts instead of the Host header. */
  readonly authority?: string;
}

const ABSOLUTE = /^https?:\/\/([^/?#]*)/i;

/**
 * Reads a request target, whatever it is, without an error. `new URL` throws for `//`, and reads a host from `//host/path`;
 * here everything that starts with a slash is a path.
 */
export function parseTarget(text = '/'): RequestTarget {
  const absolute = ABSOLUTE.exec(text);
  const rest = (absolute ? text.slice(absolute[0].length) : text).replace(/#.*$/s, '');
  const question = rest.indexOf('?');
  const path = question === -1 ? rest : rest.slice(0, question);
  return {
    path: path === '' ? '/' : path,
    query: new URLSearchParams(question === -1 ? '' : rest.slice(question + 1)),
    ...(absolute && { authority: absolute[1]! }),
  };
}

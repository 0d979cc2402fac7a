/** Without an instrumentation of the framework, a server span is named `GET` only: then the path is appended. */
export function requestTitle(spanName: string, path: string | undefined): string {
  const namesPath = spanName.includes('/') || spanName.includes(' ');
  return namesPath || path === undefined ? spanName : `${spanName} ${path}`;
}

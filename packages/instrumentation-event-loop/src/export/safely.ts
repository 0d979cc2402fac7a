/** What `read` returns, or `otherwise` when it throws: contexts and spans may be the application's own objects. */
export function safely<T, O>(read: () => T, otherwise: O): T | O {
  try {
    return read();
  } catch {
    return otherwise;
  }
}

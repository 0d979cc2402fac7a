/** Returns the result of `read`, or `otherwise` when it throws: contexts and spans may be application objects. */
export function safely<T, O>(read: () => T, otherwise: O): T | O {
  try {
    return read();
  } catch {
    return otherwise;
  }
}

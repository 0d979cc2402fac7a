/** What the user chose on an earlier visit; undefined if nothing, or nothing that is still offered. */
export function storedChoice<T extends string>(key: string, offered: readonly T[]): T | undefined {
  try {
    const stored = localStorage.getItem(key);
    return offered.find((choice) => choice === stored);
  } catch {
    // Some browsers have no storage for files.
    return undefined;
  }
}

/** Keeps the choice for the next visit; `undefined` takes it back. */
export function storeChoice(key: string, choice: string | undefined): void {
  try {
    if (choice === undefined) localStorage.removeItem(key);
    else localStorage.setItem(key, choice);
  } catch {
    // Without storage, the choice applies to this visit only.
  }
}

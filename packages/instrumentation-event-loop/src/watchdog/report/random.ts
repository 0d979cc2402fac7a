/** The global object loads Node's `crypto` at its first use: an import would load it in each process. */
export function randomBytes(size: number): Buffer {
  return Buffer.from(globalThis.crypto.getRandomValues(new Uint8Array(size)).buffer);
}

export function randomHex(size: number): string {
  return randomBytes(size).toString('hex');
}

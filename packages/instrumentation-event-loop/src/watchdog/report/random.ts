/**
 * Ids and names are not secret, and OpenTelemetry's own generator takes them from `Math.random`, too. Node's `crypto` would
 * be loaded in each process that blocks.
 */
export function randomBytes(size: number): Buffer {
  return Buffer.from(Array.from({ length: size }, () => Math.random() * 256));
}

export function randomHex(size: number): string {
  return randomBytes(size).toString('hex');
}

import { pbkdf2, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';

/** What is stored of a password. */
export interface StoredPassword {
  readonly salt: Buffer;
  readonly iterations: number;
  readonly hash: Buffer;
}

const derive = promisify(pbkdf2);

/** Hashes the password, asynchronously: in a thread of libuv's pool, for a quarter of a second. */
export async function isPassword(password: string, { salt, iterations, hash }: StoredPassword): Promise<boolean> {
  return timingSafeEqual(await derive(password, salt, iterations, hash.length, 'sha512'), hash);
}

import { DEMO_USER } from '../shared/account.js';
import type { StoredPassword } from './password.js';

/** The hash is that of DEMO_PASSWORD. */
const passwords: ReadonlyMap<string, StoredPassword> = new Map([
  [
    DEMO_USER,
    {
      salt: Buffer.from('6c6f6f7077617463682d64656d6f2d31', 'hex'),
      iterations: 300_000,
      hash: Buffer.from('49368452fadfe6d0220fa3d512222e134dc6143c34eecd58a127162bd8cd3920', 'hex'),
    },
  ],
]);

export function findPassword(user: string): StoredPassword | undefined {
  return passwords.get(user);
}

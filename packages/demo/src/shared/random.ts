/** Seeded random numbers, so that data and traffic are the same in each run. */
export interface Random {
  /** In [0, 1). */
  next(): number;
  /** A whole number in [0, limit). */
  integer(limit: number): number;
  chance(probability: number): boolean;
  /** A text of this many hexadecimal digits. */
  readonly hex: (digits: number) => string;
  pick<T>(items: readonly T[]): T;
  shuffle<T>(items: readonly T[]): T[];
}

/** Marsaglia's xorshift with 32 bits of state. Predictable: not for secrets. */
export function createRandom(seed: number): Random {
  // Spreads small seeds over the 32 bits. The state must not be 0, because xorshift never leaves 0.
  let state = Math.imul(seed, 0x9e3779b1) || 0x9e3779b1;
  const next = (): number => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) / 2 ** 32;
  };
  const integer = (limit: number): number => Math.floor(next() * limit);
  return {
    next,
    integer,
    chance: (probability) => next() < probability,
    hex(digits) {
      let text = '';
      while (text.length < digits) {
        text += integer(2 ** 32)
          .toString(16)
          .padStart(8, '0');
      }
      return text.slice(0, digits);
    },
    pick: (items) => items[integer(items.length)]!,
    shuffle(items) {
      const result = [...items];
      for (let index = result.length - 1; index > 0; index--) {
        const other = integer(index + 1);
        [result[index], result[other]] = [result[other]!, result[index]!];
      }
      return result;
    },
  };
}

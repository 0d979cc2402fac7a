/** Seeded random numbers, so that data and traffic can be repeated. */
export interface Random {
  /** In [0, 1). */
  next(): number;
  /** A whole number in [0, limit). */
  integer(limit: number): number;
  chance(probability: number): boolean;
  /** That many hexadecimal digits. */
  readonly hex: (digits: number) => string;
  pick<T>(items: readonly T[]): T;
  shuffle<T>(items: readonly T[]): T[];
}

/** Marsaglia's xorshift with 32 bits of state: enough for a demo, not for secrets. */
export function createRandom(seed: number): Random {
  // Spreads small seeds over the state, which must not be 0: it would stay so.
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

/** Random choices that a seed repeats. */
export interface Random {
  /** From 0 to `below` - 1. */
  below(limit: number): number;
  /** Both ends included. */
  between(least: number, most: number): number;
  chance(probability: number): boolean;
  pick<Value>(values: readonly Value[]): Value;
}

/** The generator Mulberry32: 32 bits of state, enough for worlds of a few hundred choices. */
export function randomOf(seed: number): Random {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (limit: number): number => Math.floor(next() * limit);
  return {
    below,
    between: (least, most) => least + below(most - least + 1),
    chance: (probability) => next() < probability,
    pick: (values) => {
      const value = values[below(values.length)];
      if (value === undefined) throw new Error('nothing to pick from');
      return value;
    },
  };
}

/** A reproducible random source: the same seed gives the same sequence on every machine. */
export interface Random {
  /** In [0, 1). */
  next(): number;
  /** Whole number in [min, max]. */
  int(min: number, max: number): number;
  /** Real number in [min, max). */
  between(min: number, max: number): number;
  chance(probability: number): boolean;
  pick<T>(list: readonly T[]): T;
  /** A new list in random order. */
  shuffled<T>(list: readonly T[]): T[];
  /** Lower-case hexadecimal digits. */
  hex(digits: number): string;
}

/** A generator with 128 bits of state, so that similar seeds do not share parts of their sequence. */
export function createRandom(seed: string | number): Random {
  const word = words(String(seed));
  const next = (): number => word() / 2 ** 32;
  const int = (min: number, max: number): number => min + Math.floor(next() * (max - min + 1));
  return {
    next,
    int,
    between: (min, max) => min + next() * (max - min),
    chance: (probability) => next() < probability,
    pick: (list) => {
      const chosen = list[int(0, list.length - 1)];
      if (chosen === undefined) throw new Error('pick needs a list that is not empty');
      return chosen;
    },
    shuffled: (list) => shuffled(list, int),
    hex: (digits) => {
      let text = '';
      while (text.length < digits) text += word().toString(16).padStart(8, '0');
      return text.slice(0, digits);
    },
  };
}

/** A 32-bit hash of `text`, the same on every machine. */
export function hash32(text: string): number {
  let hash = 0x811c9dc5;
  for (const char of text) hash = Math.imul(hash ^ (char.codePointAt(0) ?? 0), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
  hash = Math.imul(hash ^ (hash >>> 12), 0x297a2d39);
  return (hash ^ (hash >>> 15)) >>> 0;
}

/** The "sfc32" generator (small fast counting): 32 random bits per call. */
function words(seed: string): () => number {
  let [a, b, c] = [hash32(`${seed}/a`), hash32(`${seed}/b`), hash32(`${seed}/c`)];
  let counter = 1;
  const word = (): number => {
    const result = (a + b + counter) | 0;
    counter = (counter + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = (((c << 21) | (c >>> 11)) + result) | 0;
    return result >>> 0;
  };
  // The first outputs depend too directly on the seed, so twelve rounds are skipped.
  for (let round = 0; round < 12; round += 1) word();
  return word;
}

function shuffled<T>(list: readonly T[], int: Random['int']): T[] {
  const result = [...list];
  for (let last = result.length - 1; last > 0; last -= 1) {
    const other = int(0, last);
    [result[last], result[other]] = [result[other] as T, result[last] as T];
  }
  return result;
}

/**
 * Draws keys in proportion to their weights from a shuffled deck of about 100 cards. Each key with a weight occurs at least once
 * per deck, so that a short simulation shows every case.
 */
export function createDeck<Key extends string>(
  random: Random,
  weights: Readonly<Record<Key, number>>,
): () => Key {
  const entries = Object.entries(weights) as [Key, number][];
  const total = entries.reduce((sum, [, weight]) => sum + weight, 0);
  const cards = entries.flatMap(([key, weight]) =>
    Array.from<Key>({ length: weight > 0 ? Math.max(1, Math.round((weight / total) * 100)) : 0 }).fill(key),
  );
  if (cards.length === 0) throw new Error('a mix needs at least one weight above zero');
  let deck: Key[] = [];
  return () => {
    if (deck.length === 0) deck = random.shuffled(cards);
    return deck.pop() as Key;
  };
}

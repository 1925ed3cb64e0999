import { createHash } from 'node:crypto';

/** A reproducible random source: the same seed gives the same sequence on every machine. */
export interface Random {
  /** Whole number in [min, max]. */
  int(min: number, max: number): number;
  /** Real number in [min, max). */
  between(min: number, max: number): number;
  chance(probability: number): boolean;
  pick<T>(list: readonly T[]): T;
  /** Lower-case hexadecimal digits. */
  hex(digits: number): string;
}

/** The numbers are consecutive hashes of the seed. Speed matters less here than a short source without a library. */
export function createRandom(seed: string): Random {
  let digits = '';
  let block = 0;
  const hex = (count: number): string => {
    while (digits.length < count) digits += sha256(`${seed}/${block++}`);
    const taken = digits.slice(0, count);
    digits = digits.slice(count);
    return taken;
  };
  const between = (min: number, max: number): number =>
    min + (Number.parseInt(hex(8), 16) / 2 ** 32) * (max - min);
  const int = (min: number, max: number): number => Math.floor(between(min, max + 1));
  return {
    int,
    between,
    chance: (probability) => between(0, 1) < probability,
    pick: (list) => list[int(0, list.length - 1)] as (typeof list)[number],
    hex,
  };
}

/** Derives a number from a text: the same in every simulation. */
export function stableNumber(text: string, from: number, to: number): number {
  return from + (Number.parseInt(sha256(text).slice(0, 8), 16) % (to - from));
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

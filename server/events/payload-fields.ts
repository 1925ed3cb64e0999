import { storableText } from '#platform/database/storable-text.ts';
import { fields, isFields, type Fields } from '#platform/runtime/json-fields.ts';

/** Where an event came from and when. */
export interface Origin {
  integrationId: string;
  /** 100 ns ticks of the forge's clock, see `deliveryTicks`. */
  deliveredAt: bigint;
}

/** Thrown by the `require...` readers and caught by `parseEvent`; the message names the field, never its value. */
export class InvalidFieldError extends Error {}

/** Lengths in UTF-16 code units: B-tree keys and screens have limits that payloads do not know. */
export const maxLengths = {
  name: 255,
  conclusion: 64,
  url: 2048,
  title: 1024,
  commitMessage: 4096,
  reviewBody: 65_536,
} as const;

export function requireFields(value: unknown, field: string): Fields {
  if (!isFields(value)) throw new InvalidFieldError(`${field}: must be an object`);
  return value;
}

/** Ids are keys, so they must survive as JavaScript numbers. */
export function requireId(value: unknown, field: string): number {
  const read = id(value);
  if (read === null) throw new InvalidFieldError(`${field}: must be an integer from 1 to 2^53 - 1`);
  return read;
}

export function id(value: unknown): number | null {
  return Number.isSafeInteger(value) && (value as number) > 0 ? (value as number) : null;
}

const maxAttempt = 2 ** 31 - 1;

/** Of an event whose forge runs things again without counting: `numberAttempts` says which attempt it is. */
export const unnumbered = 0;

/** Absent, or 0, from forges that do not count attempts: then it is the first. */
export function requireAttempt(value: unknown, field: string): number {
  if (value === null) return unnumbered;
  if (value === undefined || value === 0) return 1;
  const read = id(value);
  if (read === null || read > maxAttempt)
    throw new InvalidFieldError(`${field}: must be an integer from 1 to 2^31 - 1`);
  return read;
}

export function requireText(value: unknown, field: string, maxLength: number): string {
  const read = storableText(value, maxLength);
  if (read === null) throw new InvalidFieldError(`${field}: must be a string that is not empty`);
  return read;
}

/** The strings of a list, or what `read` finds in its entries; without repetitions. */
export function textList(
  value: unknown,
  maxEntries: number,
  read = (entry: unknown) => storableText(entry, 255),
): string[] {
  if (!Array.isArray(value)) return [];
  const found = new Set<string>();
  for (const entry of value.slice(0, maxEntries)) {
    const one = read(entry);
    if (one !== null) found.add(one);
  }
  return [...found];
}

export function login(user: unknown): string | null {
  return storableText(fields(user)['login'], maxLengths.name);
}

import { storableText } from '#platform/database/rows/storable-text.ts';
import { fields, isFields, type Fields } from '#platform/runtime/json-fields.ts';
import { escapeSequence } from '#server/masking/escape-sequence.ts';
import { maskProse } from '#server/masking/mask-text.ts';

/** The source of an event, and its time. */
export interface Origin {
  integrationId: string;
  /** 100 ns ticks of the forge's clock, see `deliveryTicks`. */
  deliveredAt: bigint;
}

/** Thrown by the `require...` functions and caught by `parseEvent`. The message names the field, never its value. */
export class InvalidFieldError extends Error {}

/** Lengths in UTF-16 code units. B-tree keys are limited in size, and screens in space. */
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

/** Ids are keys, so they must be exact as JavaScript numbers. */
export function requireId(value: unknown, field: string): number {
  const read = id(value);
  if (read === null) throw new InvalidFieldError(`${field}: must be an integer from 1 to 2^53 - 1`);
  return read;
}

export function id(value: unknown): number | null {
  return Number.isSafeInteger(value) && (value as number) > 0 ? (value as number) : null;
}

/** The id of the fork that `head` is. Null when it is the repository itself, or the ids do not tell. */
export function forkId(head: unknown, repository: Fields): number | null {
  const headId = id(fields(head)['id']);
  return id(repository['id']) === null || headId === id(repository['id']) ? null : headId;
}

const maxAttempt = 2 ** 31 - 1;

/**
 * The attempt of an event whose forge may not number attempts. `numberAttempts` replaces it. A negative number is the attempt with
 * its sign changed, in case that the forge does.
 */
export const unnumbered = 0;

/** Null: the forge does not number attempts. Absent or 0: the first attempt. */
export function requireAttempt(value: unknown, field: string): number {
  if (value === null) return unnumbered;
  if (value === undefined || value === 0) return 1;
  const read = id(value);
  if (read === null || read > maxAttempt)
    throw new InvalidFieldError(`${field}: must be an integer from 1 to 2^31 - 1`);
  return read;
}

/** As `requireAttempt`, for a job. `attempt_of_numbered_run` comes from the adapter of Gitea. */
export function requireJobAttempt(job: Fields): number {
  const attempt = requireAttempt(job['run_attempt'], 'workflow_job.run_attempt');
  const ofNumbered = job['run_attempt'] === null ? id(job['attempt_of_numbered_run']) : null;
  return ofNumbered === null || ofNumbered > maxAttempt ? attempt : -ofNumbered;
}

export function requireText(value: unknown, field: string, maxLength: number): string {
  const read = storableText(value, maxLength);
  if (read === null) throw new InvalidFieldError(`${field}: must be a non-empty string`);
  return read;
}

/** The strings in a list, or the results of `read` for its entries, without duplicates. */
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

/** Read beyond the stored length, so that a token at the cut is recognized. */
const longestToken = 1024;

/** A text that somebody writes for people: escape sequences are removed, which terminals show as colours, and secrets are masked. */
export function maskedText(value: unknown, maxLength: number, mask = maskProse): string | null {
  const read = storableText(value, maxLength + longestToken);
  return read === null ? null : storableText(mask(read.replace(escapeSequence, '')), maxLength);
}

export function login(user: unknown): string | null {
  return storableText(fields(user)['login'], maxLengths.name);
}

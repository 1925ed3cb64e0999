import { hourMs } from '#platform/runtime/time-units.ts';

/** A key signs from `signsFrom` until the next key starts to sign. */
export interface KeyTime {
  kid: string;
  signsFrom: Date;
}

/** The time that one key signs. */
const periodMs = 90 * 24 * hourMs;

/** A key is published this long before and after it signs: longer than caches keep keys and tokens live. */
const overlapMs = 24 * hourMs;

export interface Rotation {
  /** Undefined when no key exists. */
  signing: string | undefined;
  /** Keys that verify, including the signing one. */
  published: string[];
  /** Create a key now that signs from this time. Undefined when none is due. */
  nextFrom: Date | undefined;
  /** Keys that are no longer needed. */
  ended: string[];
}

/** Decides which key signs, which keys are published, and whether a new key is due. */
export function planRotation(keys: readonly KeyTime[], nowMs: number): Rotation {
  const inOrder = keys.toSorted((a, b) => a.signsFrom.getTime() - b.signsFrom.getTime());
  const signing = inOrder.findLast(({ signsFrom }) => signsFrom.getTime() <= nowMs);
  const newest = inOrder.at(-1);
  const endOf = (index: number): number => inOrder[index + 1]?.signsFrom.getTime() ?? Infinity;
  const isPublished = (_key: KeyTime, index: number): boolean => endOf(index) + overlapMs > nowMs;
  return {
    signing: signing?.kid,
    published: inOrder.filter(isPublished).map(({ kid }) => kid),
    nextFrom: nextFrom(newest, nowMs),
    ended: inOrder.filter((key, index) => !isPublished(key, index)).map(({ kid }) => kid),
  };
}

function nextFrom(newest: KeyTime | undefined, nowMs: number): Date | undefined {
  if (newest === undefined) return new Date(nowMs);
  const due = newest.signsFrom.getTime() + periodMs;
  if (due - overlapMs > nowMs) return undefined;
  return new Date(Math.max(due, nowMs + overlapMs));
}

import { hourMs } from '#platform/runtime/time-units.ts';

/** When a key begins to sign; it goes on until the next one begins. */
export interface KeyTime {
  kid: string;
  signsFrom: Date;
}

/** How long one key signs. */
const periodMs = 90 * 24 * hourMs;

/** Published this long before it signs and after it has signed, longer than anybody caches keys or a token lives. */
const overlapMs = 24 * hourMs;

export interface Rotation {
  /** Undefined when there is none yet. */
  signing: string | undefined;
  /** Keys that verify, the signing one among them. */
  published: string[];
  /** A key must be made now that signs from then on; undefined while there are enough. */
  nextFrom: Date | undefined;
  /** Keys that verify nothing any more. */
  ended: string[];
}

/** Which of the keys signs, which are published, and whether the next one is due. */
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

import type { LogEntry } from '#contract/deliveries/event-log.ts';

/** Keeps the open entry in the list of unread entries, although opening marks it as read. */
export function keepOpen(entries: readonly LogEntry[], open: LogEntry | undefined): readonly LogEntry[] {
  if (open === undefined || entries.some(({ entryId }) => entryId === open.entryId)) return entries;
  const place = entries.findIndex((entry) => isOlder(entry, open));
  return entries.toSpliced(place === -1 ? entries.length : place, 0, open);
}

/** Newest first; entries of the same time are ordered by ID. */
function isOlder(one: LogEntry, other: LogEntry): boolean {
  return one.at === other.at ? one.entryId < other.entryId : one.at < other.at;
}

export interface HeldEntries {
  rows: readonly LogEntry[];
  /** How many newer entries are not shown. */
  waiting: number;
}

/** The list without the entries that are newer than those shown. */
export function holdNewer({ rows }: HeldEntries, current: readonly LogEntry[]): HeldEntries {
  const [newest] = rows;
  if (newest === undefined) return { rows: current, waiting: 0 };
  const kept = current.filter((entry) => !isOlder(newest, entry));
  return { rows: kept, waiting: current.length - kept.length };
}

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

import type { LogEntry } from '#contract/event-log.ts';

/** Opening an entry reads it, which must not take it out of a list of what is unread while it is looked at. */
export function keepOpen(entries: readonly LogEntry[], open: LogEntry | undefined): readonly LogEntry[] {
  if (open === undefined || entries.some(({ entryId }) => entryId === open.entryId)) return entries;
  const place = entries.findIndex((entry) => isOlder(entry, open));
  return entries.toSpliced(place === -1 ? entries.length : place, 0, open);
}

/** Entries come newest first; those of one moment in the order of their ids. */
function isOlder(one: LogEntry, other: LogEntry): boolean {
  return one.at === other.at ? one.entryId < other.entryId : one.at < other.at;
}

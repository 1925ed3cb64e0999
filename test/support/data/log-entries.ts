import { randomUUID } from 'node:crypto';
import type { EntryGroup, EntryType, LogEntry } from '#contract/deliveries/event-log.ts';
import { readLog } from '#server/event-log/read-log.ts';
import type { TestDatabase } from '#test/support/database/test-database.ts';

/** What the API answers about the event log of an integration, oldest first; of one type or group, or all. */
export async function logEntries(
  { api }: Pick<TestDatabase, 'api'>,
  integrationId: string,
  type?: EntryType | EntryGroup,
): Promise<LogEntry[]> {
  const reader = { integrationId, userId: randomUUID() };
  const query = { limit: 1000, ...(type === undefined ? {} : { type }) };
  const { items } = await api.withScope({ integrationId }, (tx) => readLog(tx, reader, query));
  return items.toReversed();
}

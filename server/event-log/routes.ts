import {
  EventLogQuery,
  LogEntry,
  LogEntryPage,
  MarkAllReadBody,
  MarkEntryBody,
} from '#contract/deliveries/event-log.ts';
import type { Database } from '#platform/database/database.ts';
import { route, type Route } from '#server/route.ts';
import { markAllRead, markEntry } from './mark-entries.ts';
import { readEntry, readLog } from './read-log.ts';
import type { Reader } from './log-entry.ts';

export function eventLogRoutes({ db }: { db: Database }): Route[] {
  return [
    route('GET', '/api/integrations/:integrationId/event-log', {
      access: { role: 'viewer' },
      summary: 'List the entries of the event log, newest first, with their read state',
      query: EventLogQuery,
      answer: { schema: LogEntryPage },
      handle: ({ params: { integrationId }, query, caller }) => {
        const reader: Reader = { integrationId, userId: caller.userId };
        return db.withScope({ integrationId }, (tx) => readLog(tx, reader, query), { snapshot: true });
      },
    }),
    route('GET', '/api/integrations/:integrationId/event-log/:entryId', {
      access: { role: 'viewer' },
      summary: 'Get an entry of the event log',
      answer: { schema: LogEntry },
      handle: ({ params: { integrationId, entryId }, caller }) => {
        const reader: Reader = { integrationId, userId: caller.userId };
        return db.withScope({ integrationId }, (tx) => readEntry(tx, reader, entryId));
      },
    }),
    route('PATCH', '/api/integrations/:integrationId/event-log/:entryId', {
      access: { role: 'viewer', by: 'person' },
      summary: 'Mark an entry as read or unread for the caller',
      body: MarkEntryBody,
      answer: { status: 204 },
      handle: ({ params: { integrationId, entryId }, body, caller }) =>
        markEntry(db, { integrationId, userId: caller.userId }, entryId, body.read),
    }),
    route('POST', '/api/integrations/:integrationId/event-log/mark-all-read', {
      access: { role: 'viewer', by: 'person' },
      summary: 'Mark all entries as read for the caller',
      body: MarkAllReadBody,
      answer: { status: 204 },
      handle: ({ params: { integrationId }, body, caller }) =>
        markAllRead(db, { integrationId, userId: caller.userId }, body.upTo),
    }),
  ];
}

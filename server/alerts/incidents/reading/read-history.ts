import type {
  Incident,
  IncidentPage,
  IncidentQuery,
  Notification,
  NotificationPage,
} from '#contract/alerts/incidents.ts';
import type { Tx } from '#platform/database/database.ts';
import { decodeCursor, defaultLimit, cursorAfter } from '#platform/http/page-cursor.ts';
import type { Static } from 'typebox';
import {
  listIncidents,
  listNotifications,
  type IncidentRow,
  type NotificationRow,
} from './incident-list-store.ts';
import { noDetail, readIncidentDetails, type IncidentDetail } from './read-incident-details.ts';
import { incidentObject } from './incident-object.ts';

interface PageQuery {
  limit?: number;
  cursor?: string;
}

/** Newest first. @throws AppError `invalid_request` for an invalid cursor */
export async function readIncidents(
  tx: Tx,
  { integrationId, userId }: { integrationId: string; userId: string },
  query: IncidentQuery,
  nowMs: number,
): Promise<Static<typeof IncidentPage>> {
  const limit = query.limit ?? defaultLimit;
  const filter = { ...query, userId, now: new Date(nowMs), before: beforeOf(query) };
  const rows = await listIncidents(tx, integrationId, filter, limit + 1);
  const items = rows.slice(0, limit);
  const details = await readIncidentDetails(tx, integrationId, items);
  return {
    items: items.map((row) => incidentOf(row, nowMs, details.get(row.incident_id))),
    nextCursor: cursorAfter(rows, limit, (row) => row.incident_id),
  };
}

/** The notifications of a rule, newest first, including suppressed ones. */
export async function readNotifications(
  tx: Tx,
  integrationId: string,
  ruleId: string,
  query: PageQuery,
): Promise<Static<typeof NotificationPage>> {
  const limit = query.limit ?? defaultLimit;
  const rows = await listNotifications(tx, integrationId, ruleId, beforeOf(query), limit + 1);
  return {
    items: rows.slice(0, limit).map(notificationOf),
    nextCursor: cursorAfter(rows, limit, (row) => row.notificationId),
  };
}

function beforeOf({ cursor }: PageQuery) {
  return cursor === undefined ? undefined : decodeCursor(cursor, 'uuid');
}

export function incidentOf(row: IncidentRow, nowMs: number, detail: IncidentDetail = noDetail): Incident {
  const incident = incidentObject(row);
  const quarantinedUntil = row.close_reason === 'recovered' ? row.close_note : null;
  const redMs = incident.redMs ?? nowMs - Date.parse(incident.openedAt);
  return {
    ...incident,
    status: incident.closedAt === null ? 'open' : 'closed',
    closedByRunId: row.closed_by_run_id === null ? null : Number(row.closed_by_run_id),
    closeReason: quarantinedUntil === null ? row.close_reason : 'quarantined',
    closedBy: personOf(row.closed_by, row.closed_name),
    closeNote: quarantinedUntil === null ? row.close_note : null,
    ...(quarantinedUntil !== null && { quarantinedUntil }),
    redMs: Math.max(0, redMs),
    version: row.version,
    acknowledged:
      row.acknowledged_at === null
        ? null
        : {
            by: personOf(row.acknowledged_by, row.acknowledged_name),
            at: new Date(row.acknowledged_at).toISOString(),
          },
    assignee: personOf(row.assignee_id, row.assignee_name),
    snoozedUntil: timeAfter(row.snoozed_until, nowMs),
    owner: row.owner,
    ...detail,
  };
}

function personOf(userId: string | null, name: string | null): Incident['assignee'] {
  return userId === null ? null : { userId, name };
}

function timeAfter(time: Date | string | null, nowMs: number): string | null {
  const at = time === null ? null : new Date(time);
  return at === null || at.getTime() <= nowMs ? null : at.toISOString();
}

function notificationOf(row: NotificationRow): Notification {
  const { at_micros: _, createdAt, sentAt, ...shown } = row;
  return { ...shown, createdAt: createdAt.toISOString(), sentAt: sentAt?.toISOString() ?? null };
}

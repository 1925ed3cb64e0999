import { mostSnoozeDays, type Incident, type IncidentChange } from '#contract/alerts/incidents.ts';
import type { Tx } from '#platform/database/database.ts';
import { AppError, invalidField } from '#platform/runtime/app-error.ts';
import type { SharedDeps } from '#platform/runtime/shared-deps.ts';
import { dayMs } from '#platform/runtime/time-units.ts';
import { addLogEntry } from '#server/event-log/add-entry.ts';
import { placeText } from '#server/alerts/notifications/content/log-entries.ts';
import { countStreamChange } from '#server/realtime/outbox/read-position.ts';
import { readShownNames } from '#server/runs/names/shown-names.ts';
import { lockEvaluation } from '#server/alerts/evaluation/completion-store.ts';
import { updateIntegrationsWithRules } from '#server/alerts/rules/rule-store.ts';
import { findMemberName } from '#server/workflow-owners/stored-owner.ts';
import type { LogEntry } from '#server/event-log/log-entry.ts';
import {
  announceIncidents,
  closeIncidentsAbout,
  findIncident,
  findReopenProblem,
  updateIncident,
  type ChangedColumns,
} from './incident-change-store.ts';
import type { IncidentRow } from './reading/incident-list-store.ts';
import { incidentOf } from './reading/read-history.ts';
import { readIncidentDetails } from './reading/read-incident-details.ts';

export type ChangeIncidentDeps = Pick<SharedDeps, 'db' | 'clock'>;

/** The incident and the person who changes it. */
export interface IncidentPlace {
  integrationId: string;
  incidentId: string;
  actorId: string;
}

/**
 * Acknowledges, assigns, snoozes, closes or reopens an incident, or undoes that.
 * @throws AppError `not_found`; `conflict` if the incident has another version or state; `invalid_request`
 */
export async function changeIncident(
  { db, clock }: ChangeIncidentDeps,
  { integrationId, incidentId, actorId }: IncidentPlace,
  change: IncidentChange,
): Promise<Incident> {
  const now = clock();
  return db.withScope({ integrationId }, async (tx) => {
    // Evaluation saves whole incidents.
    await lockEvaluation(tx, integrationId);
    const before = await findIncident(tx, integrationId, incidentId);
    if (before === undefined) throw new AppError('not_found', { detail: 'Incident not found.' });
    refuseImpossible(before, change, now);
    const assignee = await assigneeName(tx, integrationId, change);
    if (change.status === 'open') await refuseReopening(tx, integrationId, incidentId);
    await updateIncident(tx, integrationId, incidentId, applied(before, change, actorId, now));
    if (change.status !== undefined) await updateIntegrationsWithRules(tx, integrationId);
    for (const entry of entriesOfChange(before, change, assignee))
      await addLogEntry(tx, { integrationId, actorId, ...entry });
    await announceIncidents(tx, integrationId);
    // The overview leaves out what a person closed.
    await countStreamChange(tx, integrationId);
    const after = (await findIncident(tx, integrationId, incidentId)) ?? before;
    const details = await readIncidentDetails(tx, integrationId, [after]);
    return incidentOf(after, now, details.get(incidentId));
  });
}

/** Lets the rules of the integration wait until the end of the transaction. */
export const lockIncidents = lockEvaluation;

/** Closes the open incidents of a workflow that a person hides. The caller holds the lock. */
export async function closeIncidentsOfWorkflow(
  tx: Tx,
  { integrationId, actorId }: { integrationId: string; actorId: string },
  { repository, workflow }: { repository: string; workflow: string },
  now: number,
): Promise<void> {
  const closed = await closeIncidentsAbout(tx, integrationId, {
    repository,
    workflow,
    closedBy: actorId,
    at: new Date(now),
  });
  if (closed.length === 0) return;
  await updateIntegrationsWithRules(tx, integrationId);
  const names = await readShownNames(tx, [integrationId]);
  for (const incident of names.show(integrationId, closed))
    await addLogEntry(tx, {
      integrationId,
      actorId,
      type: 'incident.closed',
      title: `The incident of ${placeText(incident)} was closed, because its workflow was hidden`,
      details: {
        incidentId: incident.incident_id,
        ...names.show(integrationId, { repository, workflow }),
        reason: 'hidden',
      },
    });
  await announceIncidents(tx, integrationId);
}

function refuseImpossible(before: IncidentRow, change: IncidentChange, now: number): void {
  const { status, snoozedUntil, note } = change;
  if (before.version !== change.version)
    throw conflict('Somebody else has changed this incident. Reload it and try again.');
  const isOpen = before.closed_at === null;
  if (status === 'open' && before.close_reason !== 'closed')
    throw conflict(
      isOpen ? 'The incident is open.' : 'Only an incident that a person closed can be reopened.',
    );
  if (status !== 'open' && !isOpen)
    throw conflict('The incident is closed. Only an open one can be changed.');
  if (note !== undefined && status !== 'closed')
    throw invalidField('note', 'is only allowed together with "status": "closed"');
  if (snoozedUntil === undefined || snoozedUntil === null) return;
  const ms = Date.parse(snoozedUntil) - now;
  if (!(ms > 0 && ms <= mostSnoozeDays * dayMs))
    throw invalidField('snoozedUntil', `must be in the future, and in at most ${mostSnoozeDays} days`);
}

/** Undefined if the change assigns nobody. */
async function assigneeName(
  tx: Tx,
  integrationId: string,
  { assigneeId }: IncidentChange,
): Promise<string | undefined> {
  if (assigneeId === undefined || assigneeId === null) return undefined;
  const member = await findMemberName(tx, integrationId, assigneeId);
  if (member === undefined) throw invalidField('assigneeId', 'must be a member of the integration');
  return member.name ?? 'a member';
}

async function refuseReopening(tx: Tx, integrationId: string, incidentId: string): Promise<void> {
  const problem = await findReopenProblem(tx, integrationId, incidentId);
  if (problem.is_open)
    throw conflict('The workflow failed again since: another incident of this branch is open.');
  if (problem.has_succeeded) throw conflict('The workflow succeeded since: the incident stays closed.');
}

function applied(before: IncidentRow, change: IncidentChange, actorId: string, now: number): ChangedColumns {
  const { acknowledged, assigneeId, snoozedUntil, status, note } = change;
  const isKept = acknowledged === undefined || (acknowledged && before.acknowledged_at !== null);
  const at = acknowledged === true ? { acknowledged_at: new Date(now), acknowledged_by: actorId } : undefined;
  const nobody = { acknowledged_at: null, acknowledged_by: null };
  return {
    ...(isKept ? acknowledgementOf(before) : (at ?? nobody)),
    assignee_id: assigneeId === undefined ? before.assignee_id : assigneeId,
    snoozed_until: snoozedUntil === undefined ? dateOf(before.snoozed_until) : dateOf(snoozedUntil),
    ...(status === 'closed'
      ? {
          closed_at: closedAt(before, now),
          close_reason: 'closed',
          closed_by: actorId,
          close_note: note ?? null,
        }
      : { closed_at: null, close_reason: null, closed_by: null, close_note: null }),
  };
}

/** Clocks of runners differ, but an incident never closes before it opens. */
function closedAt({ opened_at }: IncidentRow, now: number): Date {
  return new Date(Math.max(now, new Date(opened_at).getTime()));
}

function acknowledgementOf({ acknowledged_at, acknowledged_by }: IncidentRow) {
  return { acknowledged_at: dateOf(acknowledged_at), acknowledged_by };
}

function dateOf(time: Date | string | null): Date | null {
  return time === null ? null : new Date(time);
}

const conflict = (detail: string): AppError => new AppError('conflict', { detail });

type Entry = Pick<LogEntry, 'type' | 'title' | 'details'>;

/** The log entries of a person's change: one for each thing that is done or undone. */
function entriesOfChange(
  before: IncidentRow,
  { acknowledged, assigneeId, snoozedUntil, status, note }: IncidentChange,
  assignee: string | undefined,
): Entry[] {
  const place = placeText(before);
  const { incident_id: incidentId, repository, workflow, branch } = before;
  const entry = (type: Entry['type'], change: string, more: Record<string, unknown> = {}): Entry => ({
    type,
    title: `The incident of ${place} was ${change}`,
    details: { incidentId, repository, workflow, branch, ...more },
  });
  return [
    ...(acknowledged === undefined || acknowledged === (before.acknowledged_at !== null)
      ? []
      : [entry('incident.acknowledged', acknowledged ? 'acknowledged' : 'set to not acknowledged')]),
    ...(assigneeId === undefined || assigneeId === before.assignee_id
      ? []
      : [
          entry(
            'incident.assigned',
            assignee === undefined ? 'unassigned' : `assigned to ${assignee}`,
            assigneeId === null ? {} : { assigneeId },
          ),
        ]),
    ...(snoozedUntil === undefined ? [] : [snoozeEntry(entry, snoozedUntil)]),
    ...(status === 'closed'
      ? [entry('incident.closed', 'closed', { reason: 'closed', ...(note === undefined ? {} : { note }) })]
      : []),
    ...(status === 'open' ? [entry('incident.reopened', 'reopened')] : []),
  ];
}

function snoozeEntry(
  entry: (type: Entry['type'], change: string, more?: Record<string, unknown>) => Entry,
  until: string | null,
): Entry {
  if (until === null) return entry('incident.snoozed', 'taken out of snooze');
  const time = new Date(until).toISOString();
  const text = `${time.slice(0, 10)} ${time.slice(11, 16)} UTC`;
  return entry('incident.snoozed', `snoozed until ${text}`, { snoozedUntil: time });
}

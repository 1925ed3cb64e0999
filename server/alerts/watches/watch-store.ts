import { createHash } from 'node:crypto';
import type { Failure } from '#contract/alerts/incidents.ts';
import type { Tx } from '#platform/database/database.ts';
import { incidentColumns, type IncidentRow } from '#server/alerts/incidents/reading/incident-list-store.ts';
import type { Episode, Watch } from './episode.ts';
import { isTestWatch } from './test-changes.ts';

type KeyFacts = Pick<Episode, 'kind' | 'repository' | 'workflow' | 'subject' | 'runId' | 'quarantineEnded'>;

/** The key of the incident. Jobs that wait for a label belong together, whatever their workflow, and tests that changed in a run. */
export function watchKey({ kind, repository, workflow, subject, ...episode }: KeyFacts): Buffer {
  const place = kind === 'queued_too_long' ? [] : [repository, workflow];
  const { runId, quarantineEnded = null } = episode;
  // Some of the tests that changed in a run may be repaired before the others.
  const ofTests = [repository, runId, ...(quarantineEnded === null ? [] : [quarantineEnded])];
  const key = isTestWatch(kind) ? ofTests : [...place, subject];
  return createHash('sha256')
    .update(JSON.stringify([kind, ...key]))
    .digest();
}

export function evidenceOf({ kind, runId, attempt, jobId, text, url, from, testId }: Episode): Failure {
  return {
    event: jobId === null ? 'run' : 'job',
    runId,
    attempt,
    jobId,
    name: text,
    conclusion: kind,
    actor: null,
    url,
    at: new Date(from).toISOString(),
    ...(testId !== undefined && { testId }),
  };
}

/** The episode of an open incident. */
export function episodeOf({ kind, opened_at, last_failure, ...row }: OpenWatch): Episode {
  const { repository, workflow, branch, subject } = row;
  const { runId, attempt, jobId, url, name } = last_failure;
  const evidence = { runId, attempt, jobId, url, text: name ?? '' };
  const from = new Date(opened_at).getTime();
  return { kind, repository, workflow, branch, subject, from, to: null, ...evidence };
}

export interface OpenWatch extends IncidentRow {
  kind: Watch;
  branch_key: Buffer;
  /** Rules with a notification about it. */
  notified: string[];
}

export function listOpenWatches(tx: Tx, integrationId: string): Promise<OpenWatch[]> {
  return tx.rows<OpenWatch>(
    `select ${incidentColumns}, array(
       select distinct n.rule_id::text from notifications n where n.integration_id = $1
         and n.incident_id = i.incident_id and n.kind = 'opened' and n.status <> 'held_back') as notified
     from incidents i where i.integration_id = $1 and i.kind <> 'failure' and i.closed_at is null`,
    [integrationId],
  );
}

/** By key in hex: when a person closed the incident, and when each rule last notified about it. */
export async function listPast(
  tx: Tx,
  integrationId: string,
  keys: readonly Buffer[],
): Promise<Map<string, { closedAt: number; notifiedAt: Map<string, number> }>> {
  const [closed, notified] = await Promise.all([
    tx.query<{ key: string; at: Date }>(
      `select encode(branch_key, 'hex') as key, max(closed_at) as at from incidents
       where integration_id = $1 and branch_key = any ($2) and close_reason = 'closed' group by 1`,
      [integrationId, keys],
    ),
    tx.query<{ key: string; rule_id: string; at: Date }>(
      `select encode(branch_key, 'hex') as key, rule_id, max(created_at) as at from notifications
       where integration_id = $1 and branch_key = any ($2) and kind = 'opened' group by 1, 2`,
      [integrationId, keys],
    ),
  ]);
  const past = new Map(
    keys.map((key) => [key.toString('hex'), { closedAt: -Infinity, notifiedAt: new Map<string, number>() }]),
  );
  for (const { key, at } of closed.rows) past.get(key)!.closedAt = at.getTime();
  for (const { key, rule_id: ruleId, at } of notified.rows)
    past.get(key)?.notifiedAt.set(ruleId, at.getTime());
  return past;
}

/** Returns the id of the new incident. */
export async function openWatch(tx: Tx, integrationId: string, episode: Episode): Promise<string> {
  const incident_id = await tx.value<string>(
    `insert into incidents (integration_id, branch_key, kind, subject, repository, workflow, branch, opened_at, failed_runs,
       failed_jobs, first_failure, last_failure)
     values ($1, $2, $3, $4, $5, $6, $7, $8, 0, 0, $9, $9) returning incident_id`,
    [
      integrationId,
      watchKey(episode),
      episode.kind,
      episode.subject,
      episode.repository,
      episode.workflow,
      episode.kind === 'queued_too_long' ? null : episode.branch,
      new Date(episode.from),
      evidenceOf(episode),
    ],
  );
  return incident_id ?? '';
}

export async function closeWatch(
  tx: Tx,
  integrationId: string,
  incidentId: string,
  { at, quarantinedUntil }: { at: Date; quarantinedUntil: Date | undefined },
): Promise<void> {
  await tx.query(
    `update incidents set closed_at = greatest(opened_at, $3), close_reason = 'recovered', close_note = $4
     where integration_id = $1 and incident_id = $2`,
    [integrationId, incidentId, at, quarantinedUntil?.toISOString() ?? null],
  );
}

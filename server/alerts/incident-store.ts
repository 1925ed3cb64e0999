import { createHash } from 'node:crypto';
import type { Failure } from '#contract/alerts.ts';
import type { Tx } from '#platform/database/database.ts';
import { outcomeKey, type BranchState, type OpenIncident, type Position } from './fold-outcome.ts';
import { failureOf, type Outcome } from './matching-rules.ts';

/** What an outcome's incident is about: one workflow on one branch of one repository. */
export function branchKey({ repository, workflow, branch }: BranchName): Buffer {
  return createHash('sha256')
    .update(JSON.stringify([repository, workflow, branch]))
    .digest();
}

export type BranchName = Pick<Outcome, 'repository' | 'workflow' | 'branch'>;

interface StateRow {
  branch_key: Buffer;
  success_run_id: string | null;
  success_attempt: number | null;
  incident_id: string | null;
  repository: string;
  workflow: string | null;
  branch: string | null;
  failed_runs: number;
  failed_jobs: number;
  first_failure: Failure;
  last_failure: Failure;
  last_run_id: string;
  last_attempt: number;
}

/** What is known of each branch, by its key in hex. Of what an incident counted, only what `outcomes` may repeat. */
export async function findBranches(
  tx: Tx,
  integrationId: string,
  outcomes: readonly Outcome[],
): Promise<Map<string, BranchState>> {
  const keys = [
    ...new Map(outcomes.map((outcome) => [branchKey(outcome).toString('hex'), outcome])).values(),
  ].map(branchKey);
  const [states, told, seen] = await Promise.all([
    tx.query<StateRow>({ name: 'find-alert-branches', text: statesText, values: [integrationId, keys] }),
    tx.query<ToldRow>({ name: 'find-alerts-told', text: toldText, values: [integrationId, keys] }),
    tx.query<SeenRow>({
      name: 'find-failures-seen',
      text: seenText,
      values: [integrationId, keys, [...new Set(outcomes.map(({ runId }) => runId))]],
    }),
  ]);
  const branches = new Map(states.rows.map((row) => [row.branch_key.toString('hex'), branchOf(row)]));
  for (const { run_id, attempt, job_id, branch_key } of seen.rows) {
    const open = branches.get(branch_key.toString('hex'))?.open;
    open?.seen.add(outcomeKey({ runId: Number(run_id), attempt, jobId: Number(job_id) }));
  }
  for (const row of told.rows) {
    const branch = branches.get(row.branch_key.toString('hex'));
    if (row.told_at !== null) branch?.toldAt.set(row.rule_id, row.told_at.getTime());
    if (branch?.open?.incidentId === undefined) continue;
    if (row.told_of.includes(branch.open.incidentId)) branch.open.told.add(row.rule_id);
    if (row.held_back_of.includes(branch.open.incidentId)) branch.open.heldBack.add(row.rule_id);
  }
  return branches;
}

const statesText = `
  select k.branch_key, s.run_id as success_run_id, s.attempt as success_attempt, i.incident_id, i.repository, i.workflow,
         i.branch, i.failed_runs, i.failed_jobs, i.first_failure, i.last_failure, i.last_run_id, i.last_attempt
  from unnest($2::bytea[]) k (branch_key)
  left join branch_successes s on s.integration_id = $1 and s.branch_key = k.branch_key
  left join incidents i on i.integration_id = $1 and i.branch_key = k.branch_key and i.closed_at is null`;

interface ToldRow {
  branch_key: Buffer;
  rule_id: string;
  told_at: Date | null;
  told_of: string[];
  held_back_of: string[];
}
const toldText = `
  select branch_key, rule_id, max(failure_at) filter (where status <> 'held_back') as told_at,
         coalesce(array_agg(incident_id::text) filter (where status <> 'held_back'), '{}') as told_of,
         coalesce(array_agg(incident_id::text) filter (where status = 'held_back'), '{}') as held_back_of
  from notifications where integration_id = $1 and branch_key = any ($2) and kind = 'opened'
  group by branch_key, rule_id`;

interface SeenRow {
  branch_key: Buffer;
  run_id: string;
  attempt: number;
  job_id: string;
}
const seenText = `
  select i.branch_key, f.run_id, f.attempt, f.job_id
  from incidents i join incident_failures f on f.integration_id = $1 and f.incident_id = i.incident_id
  where i.integration_id = $1 and i.branch_key = any ($2) and i.closed_at is null and f.run_id = any ($3)`;

function branchOf(row: StateRow): BranchState {
  return {
    success:
      row.success_run_id === null
        ? null
        : { runId: Number(row.success_run_id), attempt: row.success_attempt ?? 1 },
    open: row.incident_id === null ? null : openIncidentOf(row, row.incident_id),
    toldAt: new Map(),
  };
}

function openIncidentOf(row: StateRow, incidentId: string): OpenIncident {
  const { repository, workflow, branch } = row;
  const outcome = (failure: Failure): Outcome => ({
    ...failure,
    repository,
    workflow,
    branch,
    at: Date.parse(failure.at),
  });
  return {
    incidentId,
    first: outcome(row.first_failure),
    last: outcome(row.last_failure),
    newest: { runId: Number(row.last_run_id), attempt: row.last_attempt },
    failedRuns: row.failed_runs,
    failedJobs: row.failed_jobs,
    seen: new Set(),
    told: new Set(),
    heldBack: new Set(),
  };
}

export interface IncidentEnd {
  closedAt: Date;
  byRunId: number;
}

/** Writes the incident as it is now: new, counted on, or ended. */
export async function saveIncident(
  tx: Tx,
  integrationId: string,
  incident: OpenIncident,
  end: IncidentEnd | undefined,
): Promise<void> {
  const { first, last, newest } = incident;
  await tx.query(
    `insert into incidents (integration_id, incident_id, branch_key, repository, workflow, branch, opened_at, closed_at,
       closed_by_run_id, failed_runs, failed_jobs, first_failure, last_failure, last_run_id, last_attempt)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15)
     on conflict (integration_id, incident_id) do update set
       opened_at = excluded.opened_at, closed_at = excluded.closed_at, closed_by_run_id = excluded.closed_by_run_id,
       failed_runs = excluded.failed_runs, failed_jobs = excluded.failed_jobs, first_failure = excluded.first_failure,
       last_failure = excluded.last_failure, last_run_id = excluded.last_run_id, last_attempt = excluded.last_attempt`,
    [
      integrationId,
      incident.incidentId,
      branchKey(first),
      first.repository,
      first.workflow,
      first.branch,
      new Date(first.at),
      end?.closedAt ?? null,
      end?.byRunId ?? null,
      incident.failedRuns,
      incident.failedJobs,
      failureOf(first),
      failureOf(last),
      newest.runId,
      newest.attempt,
    ],
  );
}

export async function insertFailures(
  tx: Tx,
  integrationId: string,
  failures: readonly { incidentId: string; outcome: Outcome }[],
): Promise<void> {
  if (failures.length === 0) return;
  await tx.query({
    name: 'insert-incident-failures',
    text: `insert into incident_failures (integration_id, incident_id, run_id, attempt, job_id)
           select $1, * from unnest($2::uuid[], $3::bigint[], $4::integer[], $5::bigint[]) on conflict do nothing`,
    values: [
      integrationId,
      failures.map(({ incidentId }) => incidentId),
      failures.map(({ outcome }) => outcome.runId),
      failures.map(({ outcome }) => outcome.attempt),
      failures.map(({ outcome }) => outcome.jobId ?? 0),
    ],
  });
}

export async function saveSuccesses(
  tx: Tx,
  integrationId: string,
  successes: readonly { key: Buffer; position: Position }[],
): Promise<void> {
  if (successes.length === 0) return;
  await tx.query({
    name: 'save-branch-successes',
    text: `insert into branch_successes (integration_id, branch_key, run_id, attempt)
           select $1, * from unnest($2::bytea[], $3::bigint[], $4::integer[])
           on conflict (integration_id, branch_key) do update
             set run_id = excluded.run_id, attempt = excluded.attempt, at = now()`,
    values: [
      integrationId,
      successes.map(({ key }) => key),
      successes.map(({ position }) => position.runId),
      successes.map(({ position }) => position.attempt),
    ],
  });
}

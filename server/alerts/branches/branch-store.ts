import type { Failure } from '#contract/alerts/incidents.ts';
import { sentAhead, type Tx } from '#platform/database/database.ts';
import {
  completionKey,
  type BranchState,
  type OpenIncident,
  type Position,
} from '../incidents/incident-reducer.ts';
import { branchKey, jobKey, placeKey, type JobName } from './branch-keys.ts';
import type { Completion } from '#server/alerts/rules/matching-rules.ts';

type Place = Pick<Completion, 'repository' | 'workflow' | 'branch'>;

interface StateRow extends Place {
  branch_key: Buffer;
  success_run_id: string | null;
  success_attempt: number | null;
  ended_run_id: string | null;
  closed_run_id: string | null;
  closed_attempt: number | null;
  snoozed_until: Date | null;
  is_acknowledged: boolean;
  incident_id: string | null;
  failed_runs: number;
  failed_jobs: number;
  first_failure: Failure;
  last_failure: Failure;
}

/**
 * Loads the state of each branch, by its key in hex. It contains only the counted failures that `completions` may repeat or
 * take out, and only the jobs in `completions` and the failed jobs of the same branches.
 */
export async function findBranches(
  tx: Tx,
  integrationId: string,
  completions: readonly Completion[],
): Promise<Map<string, BranchState>> {
  const keys = uniqueKeys(completions);
  const placeKeys = uniqueBranches(completions).map(placeKey);
  const runIds = [...new Set(completions.map(({ runId }) => runId))];
  const failing = sentAhead(findFailed(tx, integrationId, completions));
  const jobs = completions.filter(({ event }) => event === 'job');
  const [states, jobSuccesses, failed, notified, counted] = await Promise.all([
    tx.query<StateRow>({
      name: 'find-alert-branches',
      text: statesText,
      values: [integrationId, keys, placeKeys, runIds],
    }),
    failing.then((rows) => findJobSuccesses(tx, integrationId, [...jobs, ...failedJobs(rows, completions)])),
    failing,
    tx.query<NotifiedRow>({
      name: 'find-alerts-notified',
      text: notifiedText,
      values: [integrationId, keys],
    }),
    tx.query<CountedRow>({
      name: 'find-counted-failures',
      text: countedText,
      values: [
        integrationId,
        keys,
        runIds,
        uniqueKeys(
          completions.filter(({ event, conclusion }) => event === 'run' && conclusion === 'success'),
        ),
      ],
    }),
  ]);
  const branches = new Map(states.rows.map((row) => [row.branch_key.toString('hex'), branchOf(row)]));
  for (const { job, position } of jobSuccesses)
    branches.get(branchKey(job).toString('hex'))?.jobSuccesses.set(job.name ?? '', position);
  for (const row of failed)
    branches.get(row.branch_key.toString('hex'))?.open?.failed.set(row.name, positionOf(row));
  for (const { branch_key, failure, ...place } of counted.rows) {
    const open = branches.get(branch_key.toString('hex'))?.open;
    const completion = completionOf(failure, place);
    open?.counted.set(completionKey(completion), completion);
  }
  for (const row of notified.rows) {
    const branch = branches.get(row.branch_key.toString('hex'));
    if (row.notified_at !== null) branch?.notifiedAt.set(row.rule_id, row.notified_at.getTime());
    if (branch?.open?.incidentId === undefined) continue;
    if (row.notified_incidents.includes(branch.open.incidentId))
      branch.open.notified.set(row.rule_id, {
        isNotified: row.released_incidents.includes(branch.open.incidentId),
        waitsUntil: row.waits_until?.getTime() ?? null,
      });
  }
  return branches;
}

const statesText = `
  select k.branch_key, s.run_id as success_run_id, s.attempt as success_attempt, i.incident_id, i.repository, i.workflow,
         i.branch, i.failed_runs, i.failed_jobs, i.first_failure, i.last_failure, i.snoozed_until,
         i.acknowledged_at is not null as is_acknowledged, e.run_id as ended_run_id, c.run_id as closed_run_id,
         c.attempt as closed_attempt
  from unnest($2::bytea[], $3::bytea[]) k (branch_key, place_key)
  left join lateral (
    select max(w.run_id) as run_id from branch_ends b
    join workflow_runs w on w.integration_id = $1 and w.run_id = any ($4) and w.created_at <= b.ended_at
    where b.integration_id = $1 and b.place_key = k.place_key) e on true
  left join lateral (
    select f.run_id, f.attempt
    from incidents o join incident_failures f on f.integration_id = $1 and f.incident_id = o.incident_id
    where o.integration_id = $1 and o.branch_key = k.branch_key and o.close_reason = 'closed'
    order by f.run_id desc, f.attempt desc limit 1) c on true
  left join branch_successes s on s.integration_id = $1 and s.branch_key = k.branch_key
  left join incidents i on i.integration_id = $1 and i.branch_key = k.branch_key and i.closed_at is null`;

interface NotifiedRow {
  branch_key: Buffer;
  rule_id: string;
  notified_at: Date | null;
  notified_incidents: string[];
  /** Incidents with a notification that waits for no cooldown. */
  released_incidents: string[];
  /** When the cooldown of the waiting notification ends. Only a notification about an open incident waits. */
  waits_until: Date | null;
}
const notifiedText = `
  select branch_key, rule_id, max(failure_at) filter (where status <> 'held_back') as notified_at,
         coalesce(array_agg(distinct incident_id::text) filter (where status <> 'held_back'), '{}') as notified_incidents,
         coalesce(array_agg(distinct incident_id::text) filter (
           where status <> 'held_back' and not (status = 'waiting' and failure_at > (failure ->> 'at')::timestamptz)),
           '{}') as released_incidents,
         max(failure_at) filter (where status = 'waiting' and failure_at > (failure ->> 'at')::timestamptz) as waits_until
  from notifications where integration_id = $1 and branch_key = any ($2) and kind in ('opened', 'repeated')
  group by branch_key, rule_id`;

interface CountedRow extends Place {
  branch_key: Buffer;
  failure: Failure;
}
const countedText = `
  select i.branch_key, i.repository, i.workflow, i.branch, f.failure
  from incidents i join incident_failures f on f.integration_id = $1 and f.incident_id = i.incident_id
  left join branch_successes s on s.integration_id = $1 and s.branch_key = i.branch_key
  where i.integration_id = $1 and i.branch_key = any ($2) and i.closed_at is null
    and (f.run_id = any ($3) or i.branch_key = any ($4))
    and (s.run_id is null or (f.run_id, f.attempt) > (s.run_id, s.attempt))`;

function branchOf(row: StateRow): BranchState {
  return {
    runSuccess:
      row.success_run_id === null
        ? null
        : { runId: Number(row.success_run_id), attempt: row.success_attempt ?? 1 },
    dismissed: dismissedOf(row),
    jobSuccesses: new Map(),
    open: row.incident_id === null ? null : openIncidentOf(row, row.incident_id),
    notifiedAt: new Map(),
  };
}

/** The end of a branch counts for every attempt. Of the runs before it only those in `completions` matter. */
function dismissedOf(row: StateRow): Position | null {
  const ended = row.ended_run_id === null ? -1 : Number(row.ended_run_id);
  const closed = row.closed_run_id === null ? -1 : Number(row.closed_run_id);
  if (ended < 0 && closed < 0) return null;
  return ended >= closed
    ? { runId: ended, attempt: Infinity }
    : { runId: closed, attempt: row.closed_attempt ?? 1 };
}

function openIncidentOf(row: StateRow, incidentId: string): OpenIncident {
  return {
    incidentId,
    first: completionOf(row.first_failure, row),
    last: completionOf(row.last_failure, row),
    failed: new Map(),
    failedRuns: row.failed_runs,
    failedJobs: row.failed_jobs,
    counted: new Map(),
    notified: new Map(),
    isAcknowledged: row.is_acknowledged,
    snoozedUntil: row.snoozed_until?.getTime() ?? null,
  };
}

function completionOf(failure: Failure, { repository, workflow, branch }: Place): Completion {
  return { ...failure, repository, workflow, branch, at: Date.parse(failure.at) };
}

interface PositionRow {
  run_id: string;
  attempt: number;
}

function positionOf({ run_id, attempt }: PositionRow): Position {
  return { runId: Number(run_id), attempt };
}

async function findJobSuccesses(
  tx: Tx,
  integrationId: string,
  names: readonly JobName[],
): Promise<{ job: JobName; position: Position }[]> {
  const jobs = new Map(names.map((name) => [jobKey(name).toString('hex'), name]));
  if (jobs.size === 0) return [];
  const { rows } = await tx.query<PositionRow & { job_key: Buffer }>({
    name: 'find-job-successes',
    text: `select job_key, run_id, attempt from job_successes where integration_id = $1 and job_key = any ($2)`,
    values: [integrationId, [...jobs.values()].map(jobKey)],
  });
  return rows.flatMap((row) => {
    const job = jobs.get(row.job_key.toString('hex'));
    return job === undefined ? [] : [{ job, position: positionOf(row) }];
  });
}

interface FailedRow extends PositionRow {
  branch_key: Buffer;
  name: string | null;
}

/** The newest failures in the open incidents that `completions` may close. */
async function findFailed(
  tx: Tx,
  integrationId: string,
  completions: readonly Completion[],
): Promise<FailedRow[]> {
  const keys = uniqueKeys(completions.filter(({ conclusion }) => conclusion === 'success'));
  if (keys.length === 0) return [];
  return tx.rows<FailedRow>({
    name: 'find-last-failures',
    text: `select distinct on (i.branch_key, j.name) i.branch_key, j.name, f.run_id, f.attempt
           from incidents i join incident_failures f on f.integration_id = $1 and f.incident_id = i.incident_id
           cross join lateral (select case when f.job_id <> 0 then f.failure ->> 'name' end as name) j
           where i.integration_id = $1 and i.branch_key = any ($2) and i.closed_at is null
           order by i.branch_key, j.name, f.run_id desc, f.attempt desc`,
    values: [integrationId, keys],
  });
}

function failedJobs(rows: readonly FailedRow[], completions: readonly Completion[]): JobName[] {
  const branches = new Map(
    completions.map((completion) => [branchKey(completion).toString('hex'), completion]),
  );
  return rows.flatMap(({ branch_key: key, name }) => {
    const branch = branches.get(key.toString('hex'));
    return branch === undefined || name === null ? [] : [{ ...branch, name }];
  });
}

function uniqueKeys(completions: readonly Completion[]): Buffer[] {
  return uniqueBranches(completions).map(branchKey);
}

function uniqueBranches(completions: readonly Completion[]): Completion[] {
  return [...new Map(completions.map((each) => [branchKey(each).toString('hex'), each])).values()];
}

import type { Tx } from '#platform/database/database.ts';
import { columnsOf } from '#platform/database/rows/columns-of.ts';
import { unknownFork } from '#server/runs/objects/head-repository.ts';
import { storedPullRequests, type PullRequestRow } from '#server/runs/objects/pull-request.ts';
import { runKey, type RunRow } from '#server/runs/objects/run.ts';
import { requestOfStored } from '#server/tasks/request-tasks.ts';
import type { MonitoringEvent } from '../parsing/parse-event.ts';
import type { ForkName, HostPlace, Names, RepositoryName, WorkflowName } from './names.ts';
import { findRepository } from './place-ids.ts';
import type { MovedDefaultBranch } from './resolve-names.ts';

function unique<Value>(values: readonly (Value | null)[]): Value[] {
  return [...new Set(values)].filter((each) => each !== null);
}

/** The repositories and workflows that events may be about, in the round trip of the other reads. New repositories take another one. */
export async function findNames(tx: Tx, events: readonly MonitoringEvent[]): Promise<Names> {
  const sources = events.flatMap(({ source }) => source ?? []);
  if (sources.length === 0) return { repositories: [], workflows: [], hosts: [], forks: [] };
  const integrationIds = unique(events.map((event) => event.integrationId));
  const ids = unique(sources.map(({ repositoryId }) => repositoryId));
  const names = unique(events.map(({ row }) => row.repository));
  const workflows = unique(sources.map(({ workflowName }) => workflowName));
  const refs = unique(sources.map(({ workflowRef }) => workflowRef));
  const wanted = `r.integration_id = any ($1) and (r.forge_id = any ($2) or r.repository = any ($3) or r.full_name = any ($3))`;
  // A new name frees the one before for what is shown with an addition.
  const sharing = `r.integration_id = any ($1) and r.full_name = any (array(
    select q.full_name from repositories q where q.integration_id = any ($1) and q.forge_id = any ($2)))`;
  const [foundRepositories, foundWorkflows, forks] = await Promise.all([
    tx.rows<RepositoryName>({
      name: 'find-repository-names',
      text: `select integration_id as "integrationId", repository, forge_id::float8 as "forgeId", host, forge_place as "place", full_name as "fullName",
               shown_name as "shownName", earlier_names as "earlierNames", default_branch as "defaultBranch", extract(epoch from named_at) * 1000 as "namedAt"
             from repositories r where ${wanted} or ${sharing}`,
      values: [integrationIds, ids, names],
    }),
    tx.rows<WorkflowName>({
      name: 'find-workflow-names',
      text: `select w.integration_id as "integrationId", w.repository, w.workflow, w.ref, w.name,
               w.shown_name as "shownName", w.earlier_names as "earlierNames", w.path,
               extract(epoch from w.named_at) * 1000 as "namedAt"
             from repositories r
             join workflows w on w.integration_id = r.integration_id and w.repository = r.repository
             where ${wanted} and (w.ref = any ($4) or w.workflow = any ($5) or w.name = any ($5) or w.shown_name = any ($5)
               or w.shown_name <> w.name)`,
      values: [integrationIds, ids, names, refs, workflows],
    }),
    findForks(tx, events),
  ]);
  const withTime = <Row extends { namedAt: unknown }>(row: Row): Row => ({
    ...row,
    namedAt: Number(row.namedAt),
  });
  return {
    repositories: foundRepositories.map(withTime),
    workflows: foundWorkflows.map(withTime),
    hosts: await findHosts(tx, eventsOfUnknown(foundRepositories, events)),
    forks,
  };
}

function eventsOfUnknown(
  repositories: readonly RepositoryName[],
  events: readonly MonitoringEvent[],
): MonitoringEvent[] {
  const repositoriesOf = Map.groupBy(repositories, ({ integrationId }) => integrationId);
  return events.filter(
    ({ integrationId, row, source }) =>
      source !== undefined &&
      findRepository(repositoriesOf.get(integrationId), row.repository, source) === undefined,
  );
}

/** The places of the hosts of events, and the highest one of each integration. Repositories that are known have theirs. */
async function findHosts(tx: Tx, events: readonly MonitoringEvent[]): Promise<HostPlace[]> {
  const hosts = unique(events.map(({ source }) => source?.host ?? null));
  if (hosts.length === 0) return [];
  return tx.rows<HostPlace>({
    name: 'find-forge-hosts',
    text: `select i.id as "integrationId", h.host, (
             select r.forge_place from repositories r where r.integration_id = i.id and r.host = h.host limit 1) as place, (
             select r.forge_place from repositories r where r.integration_id = i.id and r.host is not null
             order by r.forge_place desc limit 1) as highest
           from unnest($1::uuid[]) i (id) cross join unnest($2::text[]) h (host)`,
    values: [unique(events.map(({ integrationId }) => integrationId)), hosts],
  });
}

async function findForks(tx: Tx, events: readonly MonitoringEvent[]): Promise<ForkName[]> {
  const ids = unique(events.map(({ row }) => ('forkId' in row ? row.forkId : null)));
  if (ids.length === 0) return [];
  const newest = (table: string): string => `(
    select head_repository, updated_at from ${table} t where t.integration_id = i.id and t.fork_id = f.id and head_repository is not null
    order by updated_at desc nulls last limit 1)`;
  return tx.rows<ForkName>({
    name: 'find-forks',
    text: `select i.id as "integrationId", f.id::float8 as "forkId", n.head_repository as "fullName",
             coalesce(extract(epoch from n.updated_at)::float8 * 1000, 0) as "namedAt"
           from unnest($1::uuid[]) i (id) cross join unnest($2::bigint[]) f (id)
           cross join lateral (
             select * from (${newest('workflow_runs')} union all ${newest('pull_requests')}) o
             order by updated_at desc nulls last limit 1) n`,
    values: [unique(events.map(({ integrationId }) => integrationId)), ids],
  });
}

/** Sends the writes without waiting for them. The caller is the only writer of its integrations. */
export function saveNames(
  tx: Tx,
  {
    repositories,
    workflows,
  }: { repositories: readonly RepositoryName[]; workflows: readonly WorkflowName[] },
): void {
  if (repositories.length > 0)
    void tx.query({
      name: 'save-repository-names',
      text: `insert into repositories as r (integration_id, repository, forge_id, host, forge_place, full_name, shown_name,
               earlier_names, default_branch, named_at)
             select i, n, f, h, p, u, s, array(select json_array_elements_text(e::json)), d,
               timestamptz 'epoch' + t * interval '1 millisecond'
             from unnest($1::uuid[], $2::text[], $3::bigint[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[],
               $9::float8[], $10::smallint[]) as c (i, n, f, h, u, s, e, d, t, p)
             on conflict (integration_id, repository) do update set forge_id = excluded.forge_id, host = excluded.host,
               full_name = excluded.full_name, shown_name = excluded.shown_name, earlier_names = excluded.earlier_names,
               default_branch = excluded.default_branch, named_at = excluded.named_at`,
      values: columnsOf(
        repositories.map(withEarlierNames),
        'integrationId',
        'repository',
        'forgeId',
        'host',
        'fullName',
        'shownName',
        'earlierNames',
        'defaultBranch',
        'namedAt',
        'place',
      ),
    });
  if (workflows.length > 0)
    void tx.query({
      name: 'save-workflow-names',
      text: `insert into workflows as w (integration_id, repository, workflow, ref, name, shown_name, earlier_names, path, named_at)
             select i, r, k, f, n, s, array(select json_array_elements_text(e::json)), p,
               timestamptz 'epoch' + t * interval '1 millisecond'
             from unnest($1::uuid[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[],
               $9::float8[]) as c (i, r, k, f, n, s, e, p, t)
             on conflict (integration_id, repository, workflow) do update set ref = excluded.ref, name = excluded.name,
               shown_name = excluded.shown_name, earlier_names = excluded.earlier_names, path = excluded.path,
               named_at = excluded.named_at`,
      values: columnsOf(
        workflows.map(withEarlierNames),
        'integrationId',
        'repository',
        'workflow',
        'ref',
        'name',
        'shownName',
        'earlierNames',
        'path',
        'namedAt',
      ),
    });
}

/** Rows are sent as one array for each column, and Postgres has no arrays of arrays of different length. */
function withEarlierNames<Row extends { earlierNames: readonly string[] }>(row: Row) {
  return { ...row, earlierNames: JSON.stringify(row.earlierNames) };
}

/** SQL: the integration of `c` has notification rules. Without them only default branches have incidents, and they never end. */
const hasRules = 'exists (select from integrations_with_rules i where i.group_id = c.group_id)';

/** Lets the incidents of branches close that are no default branch any more. */
export function insertLeftBranches(tx: Tx, moved: readonly MovedDefaultBranch[]): void {
  if (moved.length === 0) return;
  void tx.query({
    name: 'insert-left-branches',
    text: `with stored as (
             insert into pending_branch_ends (group_id, repository, branch)
             select * from unnest($1::uuid[], $2::text[], $3::text[])
             returning group_id) ${requestOfStored('rule-evaluation')}`,
    values: columnsOf(moved, 'integrationId', 'repository', 'from'),
  });
}

/**
 * Lets the incidents of a pull request close: when it is closed, and those of its merge queues into other branches when it has another base
 * branch, or is told for the first time. The branches of one that is opened again go on.
 */
export function insertBranchEnds(
  tx: Tx,
  before: readonly PullRequestRow[],
  after: readonly PullRequestRow[],
): void {
  const known = new Map(before.map((pull) => [storedPullRequests.keyOf(pull), pull]));
  const ended = after.filter((pull) => {
    const one = known.get(storedPullRequests.keyOf(pull));
    return pull.state === 'closed' || pull.state !== one?.state || pull.baseBranch !== one.baseBranch;
  });
  if (ended.length === 0) return;
  void tx.query({
    name: 'insert-branch-ends',
    text: `with stored as (
             insert into pending_branch_ends (group_id, repository, number)
             select * from unnest($1::uuid[], $2::text[], $3::bigint[]) as c (group_id, repository, number)
             where ${hasRules}
             returning group_id) ${requestOfStored('rule-evaluation')}`,
    values: columnsOf(ended, 'integrationId', 'repository', 'number'),
  });
}

/** SQL: has the runs `c` evaluated again. Only rules open incidents of forks. Attempt 0 stands for the run: it is no completion. */
const evaluateRuns = (runs: string): string => `stored as (
  insert into pending_evaluations (group_id, run_id, attempt)
  select group_id, run_id, 0 from ${runs}
  where ${hasRules}
  returning group_id) ${requestOfStored('rule-evaluation')}`;

/** A late event may name the fork of a run when failures of it were counted on the branch of a fork that nobody could know. */
export function insertNamedForks(tx: Tx, before: readonly RunRow[], after: readonly RunRow[]): void {
  const unnamed = new Set(before.filter(isOfUnknownFork).map(runKey));
  const named = after.filter((run) => unnamed.has(runKey(run)) && !isOfUnknownFork(run));
  if (named.length === 0) return;
  void tx.query({
    name: 'insert-named-forks',
    text: `with ${evaluateRuns('unnest($1::uuid[], $2::bigint[]) as c (group_id, run_id)')}`,
    values: columnsOf(named, 'integrationId', 'runId'),
  });
}

const isOfUnknownFork = ({ headRepository }: RunRow): boolean => headRepository === unknownFork;

/** Runs and pull requests of renamed forks get the new name, and incidents follow, as with `insertNamedForks`. */
export function renameForks(tx: Tx, renamed: readonly ForkName[]): void {
  if (renamed.length === 0) return;
  const rename = (table: string): string => `
    update ${table} t set head_repository = c.full_name from forks c
    where t.integration_id = c.group_id and t.fork_id = c.fork_id and t.head_repository <> c.full_name`;
  void tx.query({
    name: 'rename-forks',
    text: `with forks as (
             select * from unnest($1::uuid[], $2::bigint[], $3::text[]) as c (group_id, fork_id, full_name)),
           pulls as (${rename('pull_requests')} returning t.integration_id as group_id, t.repository, t.number, t.state),
           -- The branch has ended under its new name too.
           ends as (
             insert into pending_branch_ends (group_id, repository, number)
             select group_id, repository, number from pulls c where state = 'closed' and ${hasRules}),
           renamed as (${rename('workflow_runs')} returning t.integration_id as group_id, t.run_id),
           ${evaluateRuns('renamed c')}`,
    values: columnsOf(renamed, 'integrationId', 'forkId', 'fullName'),
  });
}

/** Entries before the newest ones count as read unless their reader marked them, so that counting does not read a whole log. */
const maxCounted = 2000;

/**
 * SQL: the reader $2 of the log of $1: time until which they have read it, role, login and address. What happened before they joined
 * counts as read.
 */
export const readerOf = `select greatest(
    coalesce(
      (select w.until from event_log_read_until w where w.integration_id = $1 and w.user_id = $2),
      (select m.created_at from memberships m where m.integration_id = $1 and m.user_id = $2),
      '-infinity'),
    (select o.at from event_log o where o.integration_id = $1
     order by o.at desc, o.entry_id desc offset ${maxCounted} limit 1)) as until,
  exists (select from actors a where a.integration_id = $1 and a.actor_id = $2 and a.role in ('admin', 'owner')) as is_admin,
  (select lower(u.forge_login collate "C") from users u where u.user_id = $2) as login,
  (select lower(u.email collate "C") from users u where u.user_id = $2) as email`;

/** The member who owns the workflow, or else its repository. */
const ownerUserOf = (repository: string, workflow: string): string => `(
  select w.user_id from workflow_owners w
  where w.integration_id = $1 and w.repository = ${repository} and w.workflow in ('', coalesce(${workflow}, ''))
  order by w.workflow desc limit 1)`;

/** An id of the details, which are written by the service. */
const detail = (name: string, type: 'bigint' | 'uuid'): string => `(e.details ->> '${name}')::${type}`;

const isReader = (login: string): string => `lower(${login} collate "C") = p.login`;

/**
 * SQL: whether entry `e` concerns the reader `p`, see `readerOf`. docs/guide/event-log.md says the same in words. Names in entries are
 * those at their time, so the owner is looked up by the run or incident where the entry has one. With `offset 0`
 * they are looked up by key, instead of reading all of them once.
 */
export const concernsReader = `(e.actor_id is distinct from $2 and coalesce(
  e.details ->> 'userId' = $2::text
  or (p.is_admin and e.severity <> 'info' and e.type !~ '^(run|incident)\\.')
  or exists (
    select from incidents i
    where i.integration_id = $1 and i.incident_id = ${detail('incidentId', 'uuid')} and (
      $2 in (i.assignee_id, i.acknowledged_by)
      or ${ownerUserOf('i.repository', 'i.workflow')} = $2) offset 0)
  or exists (
    select from workflow_runs r
    where r.integration_id = $1 and r.run_id = ${detail('runId', 'bigint')} and (
      ${isReader('r.actor')} or ${isReader('r.triggering_actor')}
      or ${ownerUserOf('r.repository', 'r.workflow_name')} = $2
      or exists (
        select from pull_requests q
        where q.integration_id = $1 and q.repository = r.repository and q.number = any (r.pull_requests)
          and ${isReader('q.author')} offset 0)) offset 0)
  or (e.type like 'repository.%' and ${ownerUserOf(`(e.details ->> 'repository')`, `(e.details ->> 'workflow')`)} = $2)
  or exists (
    select from notification_channels c
    where c.integration_id = $1 and c.rule_id = ${detail('ruleId', 'uuid')} and e.type like 'alert.%'
      and p.email = any (select lower(address collate "C") from unnest(c.recipients) address) offset 0), false))`;

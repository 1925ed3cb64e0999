import type { ChangeGroupBody, FailureGroup, GroupStatus } from '#contract/failures/failures.ts';
import type { Tx } from '#platform/database/database.ts';
import type { PagePosition } from '#platform/http/page-cursor.ts';
import { lowered, patternsOf } from '#platform/database/rows/words.ts';

export interface GroupRow {
  failure_group_id: string;
  repository: string;
  workflow: string | null;
  job: string;
  step: string | null;
  error_line: string;
  is_specific: boolean;
  test: FailureGroup['test'];
  failures: string;
  first_seen_at: Date;
  last_seen_at: Date;
  status: GroupStatus;
  ignored_until: Date | null;
  note: string | null;
  status_at: Date | null;
  status_by: string | null;
  status_by_name: string | null;
  branches: string[];
  /** Failures by day, newest first. */
  trend: number[];
  /** Days from the first one of `trend` until today. */
  trend_age: number;
  at_micros: string;
}

export interface GroupFilter {
  status: GroupStatus | undefined;
  repository: string | undefined;
  workflow: string | undefined;
  branch: string | undefined;
  from: string | undefined;
  to: string | undefined;
  words: readonly string[];
  before: PagePosition | undefined;
}

/** Groups searched for one page, most recent first. */
const maxScanned = 5000;

/** An ignored group is open again when its time has passed. */
const status = `case when g.status = 'ignored' and g.ignored_until < now() then 'open' else g.status end`;

const shown = `g.failure_group_id, g.repository, g.workflow, g.job, g.step, g.error_line, g.is_specific, g.failures, g.first_seen_at,
  (select json_build_object('testId', t.test_id, 'className', t.class_name, 'name', t.name) from tests t
   where t.integration_id = g.integration_id and t.test_id = g.test_id) as test,
  g.last_seen_at, ${status} as status, g.ignored_until, g.note, g.status_at, g.status_by,
  (select coalesce(u.name, u.forge_login) from users u where u.user_id = g.status_by) as status_by_name,
  (extract(epoch from g.last_seen_at) * 1000000)::bigint::text as at_micros,
  g.branches, g.trend, (now() at time zone 'UTC')::date - g.trend_day as trend_age`;

/** Most recent first. */
export function listGroups(
  tx: Tx,
  integrationId: string,
  filter: GroupFilter,
  limit: number,
): Promise<GroupRow[]> {
  return tx.rows<GroupRow>(
    `with page as (
       select g.* from (
         select * from failure_groups
         where integration_id = $1 and last_seen_at >= coalesce($2::timestamptz, '-infinity')
           and last_seen_at < coalesce($3::timestamptz, 'infinity')
           and ($4::text is null or (last_seen_at, failure_group_id) <
             (timestamptz 'epoch' + $4::bigint * interval '1 microsecond', $5::uuid))
         order by last_seen_at desc, failure_group_id desc limit ${maxScanned}) g
       where ($6::text is null or ${status} = $6) and ($7::text is null or g.repository = $7)
         and ($8::text is null or g.workflow = $8)
         and ${lowered(`g.error_line || ' ' || g.job`)} like all ($9::text[])
         and ($10::text is null or exists (
           select from failure_reasons f where f.integration_id = $1 and f.failure_group_id = g.failure_group_id
             and f.branch_key = hashtextextended($10::text, 0)))
       order by g.last_seen_at desc, g.failure_group_id desc limit $11)
     select ${shown} from page g order by g.last_seen_at desc, g.failure_group_id desc`,
    [
      integrationId,
      filter.from ?? null,
      filter.to ?? null,
      filter.before?.at ?? null,
      filter.before?.id ?? null,
      filter.status ?? null,
      filter.repository ?? null,
      filter.workflow ?? null,
      patternsOf(filter.words),
      filter.branch ?? null,
      limit,
    ],
  );
}

export function findGroup(tx: Tx, integrationId: string, groupId: string): Promise<GroupRow | undefined> {
  return tx.row<GroupRow>(
    `select ${shown} from failure_groups g where g.integration_id = $1 and g.failure_group_id = $2`,
    [integrationId, groupId],
  );
}

export async function updateStatus(
  tx: Tx,
  integrationId: string,
  groupId: string,
  { status, until, note }: ChangeGroupBody,
  userId: string,
): Promise<void> {
  await tx.query(
    `update failure_groups set status = $3, ignored_until = $4, note = $5, status_at = now(), status_by = $6
     where integration_id = $1 and failure_group_id = $2`,
    [integrationId, groupId, status, until ?? null, note ?? null, userId],
  );
}

/** The number of failure groups; counting ends at `most`. */
export async function countGroups(tx: Tx, integrationId: string, most: number): Promise<number> {
  const count = await tx.value<number>({
    name: 'count-failure-groups',
    text: `select count(*)::int as count from (
             select from failure_groups where integration_id = $1 limit $2) g`,
    values: [integrationId, most],
  });
  return count ?? 0;
}

/** Deletes the groups that failed longest ago, open ones first. */
export async function deleteOldestGroups(tx: Tx, integrationId: string, count: number): Promise<void> {
  await tx.query(
    `delete from failure_groups where integration_id = $1 and failure_group_id = any (array(
       select failure_group_id from failure_groups where integration_id = $1
       order by status <> 'open', last_seen_at, failure_group_id limit $2))`,
    [integrationId, count],
  );
}

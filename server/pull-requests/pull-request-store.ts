import type { Tx } from '#platform/database/database.ts';
import { columnList } from '#platform/database/rows/multi-row.ts';
import type { PagePosition } from '#platform/http/page-cursor.ts';
import { selectRows } from '#platform/database/rows/select-rows.ts';
import { lowered, patternsOf } from '#platform/database/rows/words.ts';
import { unknownFork } from '#server/runs/objects/head-repository.ts';
import { storedPullRequests, type PullRequestRow } from '#server/runs/objects/pull-request.ts';

const { table } = storedPullRequests;
const columns = columnList(table, 'p.');
const newestFirst = 'order by p.opened_at desc, p.number desc';

export interface PullRequestFilter {
  repository: string | undefined;
  author: string | undefined;
  state: string | undefined;
}

/** Conditions of the filter with the parameters $2 to $4. A login is compared without case. */
const matches = `($2::text is null or p.repository = $2) and ($3::text is null or lower(p.author) = lower($3))
  and ($4::text is null or p.state = $4)`;

const valuesOf = (integrationId: string, { repository, author, state }: PullRequestFilter) => [
  integrationId,
  repository ?? null,
  author ?? null,
  state ?? null,
];

/** Those with the number, at most two, in one repository or all. */
export async function findNumbered(
  tx: Tx,
  integrationId: string,
  number: number,
  repository: string | undefined,
): Promise<PullRequestRow[]> {
  return selectRows(tx, table, {
    text: `select ${columns} from pull_requests p
           where p.integration_id = $1 and p.number = $2 and p.repository = coalesce($3::text, p.repository) limit 2`,
    values: [integrationId, number, repository ?? null],
  });
}

export interface Scan {
  /** The page begins after this pull request. */
  after: PagePosition | undefined;
  /** Newest pull requests that are searched. */
  most: number;
  limit: number;
  words: readonly string[];
}

/** The newest pull requests after one, with the two parameters of its position. */
const scanOf = (at: string, id: string): string => `from pull_requests p
  where p.integration_id = $1 and (${at}::bigint is null or (p.opened_at, p.number) <
    (timestamptz 'epoch' + ${at}::bigint * interval '1 millisecond', ${id}::bigint)) ${newestFirst}`;

/** Newest first: those of the `most` newest that match. */
export async function listPullRequests(
  tx: Tx,
  integrationId: string,
  filter: PullRequestFilter,
  { after, most, limit, words }: Scan,
): Promise<PullRequestRow[]> {
  return selectRows(tx, table, {
    text: `select ${columns} from (select p.* ${scanOf('$5', '$6')} limit ${most}) p
           where ${matches} and ${lowered(`coalesce(p.title, '')`)} like all ($7::text[])
           ${newestFirst} limit ${limit}`,
    values: [...valuesOf(integrationId, filter), after?.at ?? null, after?.id ?? null, patternsOf(words)],
  });
}

/** The oldest of the `most` newest pull requests; undefined when no older ones exist. */
export async function findLastScanned(
  tx: Tx,
  integrationId: string,
  { after, most }: Scan,
): Promise<PagePosition | undefined> {
  const { rows } = await tx.query<PagePosition>({
    text: `select round(extract(epoch from p.opened_at) * 1000)::bigint::text as at, p.number::text as id
           ${scanOf('$2', '$3')} offset ${most - 1} limit 2`,
    values: [integrationId, after?.at ?? null, after?.id ?? null],
  });
  return rows.length === 2 ? rows[0] : undefined;
}

/** Found by one of these. */
export interface Identity {
  number: number | undefined;
  branch: string;
  /** The first characters of a SHA in lower case. */
  sha: string | undefined;
}

/** Runs with a SHA that are searched for their pull request. */
const maxRuns = 50;

/** Open ones first, then the newest. A commit is the newest of a pull request, or an earlier one that a run reports. */
export async function findByIdentity(
  tx: Tx,
  integrationId: string,
  filter: PullRequestFilter,
  { number, branch, sha }: Identity,
  limit: number,
): Promise<PullRequestRow[]> {
  const ofBranch = (
    key: string,
  ) => `(select * from pull_requests b where b.integration_id = $1 and b.head_key = ${key}
    ${newestFirst.replaceAll('p.', 'b.')} limit ${limit})`;
  return selectRows(tx, table, {
    text: `with runs as (
             select r.repository, r.pull_requests, r.branch_key, r.head_repository, r.created_at from workflow_runs r
             where r.integration_id = $1 and r.head_sha >= $7::text and r.head_sha < $7::text || 'g' limit ${maxRuns}),
           found as (
             select p.repository, p.number from pull_requests p where p.integration_id = $1 and p.number = $5::bigint
             union select p.repository, p.number from ${ofBranch('hashtextextended($6::text, 0)')} p
             union select p.repository, p.number from pull_requests p
               where p.integration_id = $1 and p.head_sha >= $7::text and p.head_sha < $7::text || 'g'
             union select r.repository, unnest(r.pull_requests) from runs r
             union select p.repository, p.number from runs r cross join lateral ${ofBranch('r.branch_key')} p
               where r.pull_requests = '{}' and p.repository = r.repository
                 and (p.head_repository = coalesce(r.head_repository, r.repository)
                   or r.head_repository = '${unknownFork}' and p.head_repository <> r.repository)
                 and p.created_at <= r.created_at)
           select ${columns} from found f
           join pull_requests p on p.integration_id = $1 and p.repository = f.repository and p.number = f.number
           where ${matches} order by p.state = 'open' desc, p.opened_at desc, p.number desc limit ${limit}`,
    values: [...valuesOf(integrationId, filter), number ?? null, branch, sha ?? null],
  });
}

/** Open pull requests of an author, the newest of each integration. */
export async function listOpenOf(
  tx: Tx,
  integrationIds: readonly string[],
  login: string,
  limit: number,
): Promise<PullRequestRow[]> {
  return selectRows(tx, table, {
    text: `select ${columns} from unnest($1::uuid[]) i (integration_id)
           cross join lateral (
             select * from pull_requests p
             where p.integration_id = i.integration_id
               and p.author_key = hashtextextended(lower($2::text collate "C"), 0) and p.state = 'open'
             order by p.opened_at desc limit ${limit}) p
           order by p.opened_at desc`,
    values: [integrationIds, login],
  });
}

export async function findForgeLogin(tx: Tx, userId: string): Promise<string | null> {
  const forge_login = await tx.value<string | null>('select forge_login from users where user_id = $1', [
    userId,
  ]);
  return forge_login ?? null;
}

/** Notifies all processes, with the id of each integration. Does not wait. */
export function notifyPullRequests(tx: Tx, integrationIds: readonly string[]): void {
  void tx.query(`select pg_notify('pull_requests_changed', id) from unnest($1::text[]) id`, [integrationIds]);
}

import type { Tx } from '#platform/database/database.ts';
import type { ForgeTask } from '../task-store.ts';
import { keyOf, ofConnection } from '../store.ts';

/** Starts reading all repositories of the installation from their first page. */
export async function startHistory(tx: Tx, task: ForgeTask): Promise<void> {
  await tx.query(
    `update linked_repositories set history_next_page = 1, history_runs = 0, history_error = null where ${ofConnection}`,
    keyOf(task),
  );
  await tx.query(
    `update tasks set facts = facts || jsonb_build_object('startedAt', $3::text)
     where integration_id = $1 and kind = 'forge-history' and key = $2`,
    [task.integrationId, task.key, new Date().toISOString()],
  );
}

export interface HistoryRow {
  repository: string;
  default_branch: string | null;
  page: number;
}

/** The next page to read. Repositories with fewer pages read come first, so that all show their newest runs early. */
export function findNextPage(tx: Tx, task: ForgeTask): Promise<HistoryRow | undefined> {
  return tx.row<HistoryRow>(
    `select repository, default_branch, history_next_page as page from linked_repositories
     where ${ofConnection} and is_chosen and history_next_page is not null and history_error is null order by history_next_page, repository limit 1`,
    keyOf(task),
  );
}

/** Null `nextPage` means the repository is fully read. */
export async function saveHistoryPage(
  tx: Tx,
  task: ForgeTask,
  repository: string,
  { nextPage, runs }: { nextPage: number | null; runs: number },
): Promise<void> {
  await tx.query(
    `update linked_repositories set history_next_page = $4, history_runs = history_runs + $5
     where ${ofConnection} and repository = $3`,
    [...keyOf(task), repository, nextPage, runs],
  );
}

/** Skips a repository that the forge refuses to show; the others continue. */
export async function markHistoryRefused(
  tx: Tx,
  task: ForgeTask,
  repository: string,
  error: string,
): Promise<void> {
  await tx.query(
    `update linked_repositories set history_error = $4 where ${ofConnection} and repository = $3`,
    [...keyOf(task), repository, error],
  );
}

/** Returns the totals; undefined when reading was stopped or restarted meanwhile. */
export async function finishHistory(
  tx: Tx,
  task: ForgeTask,
): Promise<{ runs: number; repositories: number } | undefined> {
  const isFinished = await tx.some(
    `update tasks set facts = facts || jsonb_build_object('finishedAt', $3::text)
     where integration_id = $1 and kind = 'forge-history' and key = $2
       and not facts ? 'finishedAt' and facts ->> 'startedAt' = $4`,
    [task.integrationId, task.key, new Date().toISOString(), task.startedAt?.toISOString()],
  );
  if (!isFinished) return undefined;
  return tx.row<{ runs: number; repositories: number }>(
    `select coalesce(sum(history_runs), 0)::int as runs, count(*) filter (where history_error is null)::int as repositories
     from linked_repositories where ${ofConnection}`,
    keyOf(task),
  );
}

import type { Tx } from '#platform/database/database.ts';
import type { Duty } from './task-store.ts';

const ofDuty = 'integration_id = $1 and installation_id = $2';
const keyOf = ({ integrationId, installationId }: Duty) => [integrationId, installationId];

/** All of the installation's repositories are to be read, from their first page. */
export async function beginHistory(tx: Tx, duty: Duty): Promise<void> {
  await tx.query(
    `update linked_repositories set history_next_page = 1, history_runs = 0, history_error = null where ${ofDuty}`,
    keyOf(duty),
  );
  // As exact as a Date is, for it is compared with one.
  await tx.query(
    `update forge_duties set started_at = date_trunc('milliseconds', now()) where ${ofDuty} and kind = 'history'`,
    keyOf(duty),
  );
}

export interface HistoryRow {
  repository: string;
  default_branch: string | null;
  page: number;
}

/** The repository to read on with; those with fewer pages read come first, so that all get their newest runs early. */
export async function nextToRead(tx: Tx, duty: Duty): Promise<HistoryRow | undefined> {
  const { rows } = await tx.query<HistoryRow>(
    `select repository, default_branch, history_next_page as page from linked_repositories
     where ${ofDuty} and history_next_page is not null and history_error is null order by history_next_page, repository limit 1`,
    keyOf(duty),
  );
  return rows[0];
}

/** `nextPage` null when the repository was read as far back as it should. */
export async function keepHistoryPage(
  tx: Tx,
  duty: Duty,
  repository: string,
  { nextPage, runs }: { nextPage: number | null; runs: number },
): Promise<void> {
  await tx.query(
    `update linked_repositories set history_next_page = $4, history_runs = history_runs + $5
     where ${ofDuty} and repository = $3`,
    [...keyOf(duty), repository, nextPage, runs],
  );
}

/** The forge refuses to tell of this one; the others go on. */
export async function refuseHistory(tx: Tx, duty: Duty, repository: string, error: string): Promise<void> {
  await tx.query(`update linked_repositories set history_error = $4 where ${ofDuty} and repository = $3`, [
    ...keyOf(duty),
    repository,
    error,
  ]);
}

/** Answers what was read; undefined when it was stopped or asked for anew meanwhile. */
export async function endHistory(
  tx: Tx,
  duty: Duty,
): Promise<{ runs: number; repositories: number } | undefined> {
  const { rowCount } = await tx.query(
    `update forge_duties set finished_at = now() where ${ofDuty} and kind = 'history'
       and finished_at is null and started_at = $3`,
    [...keyOf(duty), duty.startedAt],
  );
  if (rowCount !== 1) return undefined;
  const { rows } = await tx.query<{ runs: number; repositories: number }>(
    `select coalesce(sum(history_runs), 0)::int as runs, count(*) filter (where history_error is null)::int as repositories
     from linked_repositories where ${ofDuty}`,
    keyOf(duty),
  );
  return rows[0];
}

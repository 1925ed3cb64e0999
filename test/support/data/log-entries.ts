import type { TestDatabase } from '#test/support/database/test-database.ts';

/** The event log of an integration, oldest first; of one type, or of those that begin with `prefix%`. */
export function logEntries(
  { asOwner }: Pick<TestDatabase, 'asOwner'>,
  integrationId: string,
  types = '%',
): Promise<{ type: string; title: string; actor_id: string | null }[]> {
  return asOwner(
    'select type, title, actor_id from event_log where integration_id = $1 and type like $2 order by at',
    [integrationId, types],
  );
}

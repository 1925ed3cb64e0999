import type { QuarantineQuery } from '#contract/tests/tests.ts';
import type { Tx } from '#platform/database/database.ts';

/** Tests are put into quarantine one after the other, so that their limit holds. */
export async function lockQuarantines(tx: Tx, integrationId: string): Promise<void> {
  await tx.query("select pg_advisory_xact_lock(hashtextextended('quarantine ' || $1::text, 0))", [
    integrationId,
  ]);
}

/** Whether a person is a member of the integration. */
export function isMember(tx: Tx, integrationId: string, userId: string): Promise<boolean> {
  return tx.some('select from memberships where integration_id = $1 and user_id = $2', [
    integrationId,
    userId,
  ]);
}

/** Of the tests in quarantine other than one. */
export async function countOthers(tx: Tx, integrationId: string, testId: string): Promise<number> {
  const count = await tx.value<number>(
    'select count(*)::int from test_quarantines where integration_id = $1 and test_id <> $2',
    [integrationId, testId],
  );
  return count ?? 0;
}

/** A test that is in quarantine already stays there since its first time. */
export async function saveQuarantine(
  tx: Tx,
  integrationId: string,
  testId: string,
  { reason, ownerId, until }: { reason: string; ownerId: string; until: Date },
): Promise<void> {
  await tx.query(
    `insert into test_quarantines as q (integration_id, test_id, reason, owner_id, until) values ($1, $2, $3, $4, $5)
     on conflict (integration_id, test_id) do update set reason = excluded.reason, owner_id = excluded.owner_id,
       until = excluded.until, since = case when q.until > now() then q.since else now() end`,
    [integrationId, testId, reason, ownerId, until],
  );
}

/** False if the test is in no quarantine. */
export async function deleteQuarantine(tx: Tx, integrationId: string, testId: string): Promise<boolean> {
  const ended = await endQuarantines(tx, 'q.test_id = $2 and q.until > now()', [integrationId, testId]);
  return ended.length > 0;
}

/** Ids of the tests in quarantine, in the order of their names. */
export function listQuarantined(
  tx: Tx,
  integrationId: string,
  { repository, suite }: QuarantineQuery,
): Promise<string[]> {
  return tx.column<string>(
    `select q.test_id from test_quarantines q
     join tests t on t.integration_id = q.integration_id and t.test_id = q.test_id
     where q.integration_id = $1 and q.until > now() and ($2::text is null or t.repository = $2)
       and ($3::text is null or t.suite = $3)
     order by t.repository, t.suite, t.class_name, t.name, t.test_id`,
    [integrationId, repository ?? null, suite ?? null],
  );
}

export const endedQuery = 'select from test_quarantines where until <= now()';

/** In the scope of the service. */
export function listIntegrationsWithEnded(tx: Tx): Promise<string[]> {
  return tx.column<string>('select distinct integration_id from test_quarantines where until <= now()');
}

export interface EndedQuarantine {
  testId: string;
  repository: string;
  className: string;
  name: string;
}

/** Deletes the quarantines whose time is over, and returns what ended. */
export function deleteEnded(tx: Tx, integrationId: string): Promise<EndedQuarantine[]> {
  return endQuarantines(tx, 'q.until <= now()', [integrationId]);
}

/** Ends the quarantines `q` of the integration $1 that `which` names. */
function endQuarantines(tx: Tx, which: string, values: unknown[]): Promise<EndedQuarantine[]> {
  return tx.rows<EndedQuarantine>(
    `with ended as (delete from test_quarantines q where q.integration_id = $1 and ${which} returning q.test_id)
     update tests t set quarantine_ended_at = now() from ended
     where t.integration_id = $1 and t.test_id = ended.test_id
     returning t.test_id as "testId", t.repository, t.class_name as "className", t.name`,
    values,
  );
}

import type { FailureGroupFacts } from '#contract/integrations/webhook-payloads.ts';
import type { Tx } from '#platform/database/database.ts';
import { insertEvents, isNews } from './store.ts';

/** A failure group that was just stored, and its first failure. */
export type OpenedGroup = Omit<FailureGroupFacts, 'integrationId'>;

/** Sends webhooks about new failure groups, in the transaction that stores them. */
export async function announceGroups(
  tx: Tx,
  integrationId: string,
  groups: readonly OpenedGroup[],
): Promise<void> {
  const events = groups
    .filter(({ failureGroup }) => isNews(Date.parse(failureGroup.firstSeenAt), Date.now()))
    .map(({ failureGroup, occurrence }) => ({
      integrationId,
      // A group whose failures were all deleted opens again.
      key: `${failureGroup.groupId}/${occurrence.runId}/${occurrence.attempt}/${occurrence.jobId}`,
      facts: { integrationId, failureGroup, occurrence } satisfies FailureGroupFacts,
    }));
  if (events.length > 0) await insertEvents(tx, 'failure_group.opened', events);
}

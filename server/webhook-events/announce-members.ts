import type { EventWebhookType } from '#contract/integrations/webhook-types.ts';
import type { Tx } from '#platform/database/database.ts';
import { insertMemberEvents, type ChangedMember } from './store.ts';

/** Sends webhooks about memberships to the subscriptions of the integration, in the transaction of the change. */
export async function announceMembers(
  tx: Tx,
  integrationId: string,
  type: Extract<EventWebhookType, `member.${string}`>,
  members: readonly ChangedMember[],
): Promise<void> {
  if (members.length > 0) await insertMemberEvents(tx, integrationId, type, members);
}

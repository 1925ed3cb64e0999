import type { RotatedSecret } from '#contract/integrations/integrations.ts';
import { addLogEntry } from '#server/event-log/add-entry.ts';
import { requestWebhookUpdate } from '#server/forge-tasks/request-tasks.ts';
import { withRole, type Actor } from '#server/members/locks/lock-member-role.ts';
import { replaceSecret, type SecretDeps } from './webhook-secret.ts';
import { hourMs } from '#platform/runtime/time-units.ts';

/** Replaces the webhook secret. The old one stays valid for `graceHours`. */
export async function rotateSecret(
  deps: Omit<SecretDeps, 'log'>,
  actor: Actor,
  graceHours: number,
): Promise<RotatedSecret> {
  const { integrationId } = actor;
  return withRole(deps.db, actor, 'admin', async (tx) => {
    const { webhookSecret, previousSecretValidUntil } = await replaceSecret(
      deps,
      tx,
      integrationId,
      graceHours * hourMs,
    );
    await requestWebhookUpdate(tx, integrationId);
    const until = previousSecretValidUntil?.toISOString() ?? null;
    await addLogEntry(tx, {
      ...actor,
      type: 'integration.secret_rotated',
      severity: 'warning',
      title:
        until === null
          ? 'The webhook secret was replaced; the old one was revoked'
          : 'The webhook secret was replaced; the old one stays valid for a grace period',
      details: { graceHours, previousSecretValidUntil: until },
    });
    return { webhookSecret, previousSecretValidUntil: until };
  });
}

import { mostTestMessagesPerHour } from '#contract/alerts/alerts.ts';
import type { Tx } from '#platform/database/database.ts';
import { AppError } from '#platform/runtime/app-error.ts';
import { recordTestSend, type ChannelRow } from '#server/alerts/rules/rule-store.ts';

const hourSeconds = 3600;

/** Counts test messages over all processes; each address counts. @throws AppError `too_many_requests` */
export async function limitTestSends(
  tx: Tx,
  integrationId: string,
  channels: readonly ChannelRow[],
): Promise<void> {
  const messages = channels.reduce((sum, { recipients }) => sum + (recipients?.length ?? 1), 0);
  const ageSeconds = await recordTestSend(tx, integrationId, messages, mostTestMessagesPerHour);
  if (ageSeconds === undefined) return;
  throw new AppError('too_many_requests', {
    detail: `At most ${mostTestMessagesPerHour} test messages per hour for each integration; each address counts.`,
    retryAfterSeconds: Math.max(1, Math.ceil(hourSeconds - ageSeconds)),
  });
}

import {
  mostAttempts,
  type OutgoingWebhook,
  type OutgoingWebhookDetail,
  type OutgoingWebhookPage,
  type OutgoingWebhookQuery,
  type WebhookAttempt,
} from '#contract/integrations/outgoing-webhooks.ts';
import type { Static } from 'typebox';
import type { Tx } from '#platform/database/database.ts';
import { decodeCursor, defaultLimit, cursorAfter } from '#platform/http/page-cursor.ts';
import { AppError } from '#platform/runtime/app-error.ts';
import type { Sealer } from '#platform/runtime/secrets/sealing.ts';
import { bodyOf } from '../webhook-body.ts';
import {
  findWebhook,
  hasReceiver,
  listAttempts,
  listWebhooks,
  type AttemptRow,
  type WebhookRow,
} from './log-store.ts';

/** The delivery log of a receiver, newest first. @throws AppError `not_found`, `invalid_request` for an invalid cursor */
export async function readWebhooks(
  tx: Tx,
  integrationId: string,
  receiverId: string,
  { status, type, limit = defaultLimit, cursor }: OutgoingWebhookQuery,
): Promise<Static<typeof OutgoingWebhookPage>> {
  await requireReceiver(tx, integrationId, receiverId);
  const before = cursor === undefined ? undefined : decodeCursor(cursor, 'uuid');
  const rows = await listWebhooks(tx, integrationId, receiverId, { status, type, before }, limit + 1);
  return {
    items: rows.slice(0, limit).map(webhookObject),
    nextCursor: cursorAfter(rows, limit, (row) => row.webhook_id),
  };
}

/** @throws AppError `not_found` */
export async function requireReceiver(tx: Tx, integrationId: string, receiverId: string): Promise<void> {
  if (await hasReceiver(tx, integrationId, receiverId)) return;
  throw new AppError('not_found', { detail: 'No webhook subscription or webhook channel has this id.' });
}

/** One webhook with its body and attempts. @throws AppError `not_found` */
export async function readWebhook(
  tx: Tx,
  sealer: Sealer,
  integrationId: string,
  webhookId: string,
): Promise<OutgoingWebhookDetail> {
  const row = await findWebhook(tx, integrationId, webhookId);
  if (row === undefined) throw webhookNotFound();
  const attempts = await listAttempts(tx, integrationId, webhookId, mostAttempts);
  return { webhook: webhookObject(row), attempts: attempts.map(attemptObject), body: bodyOf(sealer, row) };
}

export function webhookNotFound(): AppError {
  return new AppError('not_found', {
    detail: 'Outgoing webhook not found. It may have been deleted with time.',
  });
}

export function webhookObject(row: WebhookRow): OutgoingWebhook {
  return {
    webhookId: row.webhook_id,
    receiverId: row.receiver_id,
    type: row.event_type,
    status: row.status,
    attempts: row.attempts,
    statusCode: row.status_code,
    durationMs: row.duration_ms,
    problem: row.problem,
    createdAt: row.created_at.toISOString(),
    nextAttemptAt: row.next_attempt_at?.toISOString() ?? null,
  };
}

function attemptObject(row: AttemptRow): WebhookAttempt {
  return { ...row, at: row.at.toISOString() };
}

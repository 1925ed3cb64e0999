import type { ChannelType } from '#contract/alerts/alerts.ts';
import { isDatabaseAway } from '#platform/database/database-error.ts';
import { GuardedFetchError, type GuardedFetch } from '#platform/http/outgoing/guarded-fetch.ts';
import type { Sealer } from '#platform/runtime/secrets/sealing.ts';
import { factsMail } from '#server/mail/facts-mail.ts';
import { MailNotConfigured, MailPartlyAccepted, type SendMail } from '#server/mail/send-mail.ts';
import { discordBody, slackBody, teamsBody } from '../channels/channel-chat.ts';
import { openChannel } from '../channels/channel-secrets.ts';
import { signedHeaders } from '#server/outgoing-webhooks/signing.ts';
import type { SentWebhook } from '#server/outgoing-webhooks/sending/record-sent.ts';
import { webhookBody, webhookType } from '../channels/channel-webhook.ts';
import { cleanContent } from './content/clean-content.ts';
import { limitRecipients, type MailLimitDeps } from './limits/limit-recipients.ts';
import type { NotificationContent } from './content/notification-content.ts';
import type { ChannelRow } from '#server/alerts/rules/rule-store.ts';

export interface SendDeps extends MailLimitDeps {
  sealer: Sealer;
  guardedFetch: Pick<GuardedFetch, 'post'>;
  sendMail: SendMail;
}

export interface DeliveryResult {
  sent: boolean;
  statusCode: number | null;
  /** For people; null if it was sent. It contains no part of a response or a URL. */
  problem: string | null;
  /** The error, only for the log. */
  cause?: unknown;
  /** What was sent as a signed webhook, for the delivery log of the channel. */
  webhook?: Pick<SentWebhook, 'type' | 'body' | 'at' | 'durationMs'>;
}

/**
 * Sends one notification to one channel. Rejects only when the database is away, before anything was sent. Takes no longer than the guard
 * and the mail server allow.
 */
export async function sendNotification(
  deps: SendDeps,
  integrationId: string,
  channel: ChannelRow,
  raw: NotificationContent,
  signal?: AbortSignal,
): Promise<DeliveryResult> {
  const content = cleanContent(raw);
  try {
    if (channel.type === 'owner')
      return { sent: false, statusCode: null, problem: 'Only a message about a workflow has an owner.' };
    if (channel.type === 'email') return await mail(deps, integrationId, channel, content);
    const { url, secret } = openChannel(deps.sealer, integrationId, channel);
    const now = deps.clock();
    const { headers, body } = requestOf(channel.type, content, secret, now);
    const startedAt = performance.now();
    const result = await post(deps, url, { headers, body, signal });
    if (channel.type !== 'webhook') return result;
    const durationMs = Math.round(performance.now() - startedAt);
    return { ...result, webhook: { type: webhookType(content), body, at: new Date(now), durationMs } };
  } catch (error) {
    if (isDatabaseAway(error)) throw error;
    return failed(error);
  }
}

async function post(
  { guardedFetch }: SendDeps,
  url: string,
  request: { headers: Record<string, string> | undefined; body: string; signal: AbortSignal | undefined },
): Promise<DeliveryResult> {
  const { headers, body, signal } = request;
  try {
    const { status } = await guardedFetch.post(url, {
      headers: { 'content-type': 'application/json', 'user-agent': 'Forgewatch', ...headers },
      body,
      ...(signal === undefined ? {} : { signal }),
    });
    return answered(status);
  } catch (error) {
    return failed(error);
  }
}

async function mail(
  deps: SendDeps,
  integrationId: string,
  channel: ChannelRow,
  content: NotificationContent,
): Promise<DeliveryResult> {
  const { to, problem, notice } = await limitRecipients(deps, integrationId, channel.recipients ?? []);
  if (to.length === 0) return { sent: false, statusCode: null, problem };
  try {
    await deps.sendMail(factsMail({ ...content, to, notice }));
    if (problem === null) return { sent: true, statusCode: null, problem };
    return { sent: false, statusCode: null, problem: `${problem} The other addresses received it.` };
  } catch (error) {
    const failure = mailFailure(error);
    return problem === null ? failure : { ...failure, problem: `${problem} ${failure.problem}` };
  }
}

function mailFailure(error: unknown): DeliveryResult {
  if (error instanceof MailNotConfigured || error instanceof MailPartlyAccepted)
    return { sent: false, statusCode: null, problem: error.message };
  const code = (error as { responseCode?: unknown }).responseCode;
  const answer = typeof code === 'number' ? code : null;
  return {
    sent: false,
    statusCode: answer,
    problem:
      answer === null ? 'The mail server could not be reached.' : `The mail server answered ${answer}.`,
    cause: error,
  };
}

function requestOf(
  type: Exclude<ChannelType, 'email' | 'owner'>,
  content: NotificationContent,
  secret: string | undefined,
  now: number,
): { headers?: Record<string, string>; body: string } {
  switch (type) {
    case 'slack':
      return { body: slackBody(content) };
    case 'teams':
      return { body: teamsBody(content) };
    case 'discord':
      return { body: discordBody(content) };
    case 'webhook': {
      const body = webhookBody(content, now);
      return { body, headers: signedHeaders([secret ?? ''], content.notificationId, now, body) };
    }
  }
}

function answered(status: number): DeliveryResult {
  if (status >= 200 && status < 300) return { sent: true, statusCode: status, problem: null };
  const redirect = status >= 300 && status < 400 ? ' Redirects are not followed: enter the final URL.' : '';
  return {
    sent: false,
    statusCode: status,
    problem: `The receiver answered ${status}.${redirect}`,
  };
}

function failed(error: unknown): DeliveryResult {
  const known = error instanceof GuardedFetchError;
  return {
    sent: false,
    statusCode: null,
    problem: known ? error.message : 'The message could not be sent.',
    cause: error,
  };
}

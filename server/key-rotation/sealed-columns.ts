import { channelContext } from '#server/alerts/channels/channel-secrets.ts';
import { excerptContext } from '#server/failures/storing/excerpt-sealing.ts';
import { tokenContext } from '#server/forges/tokens/open-token.ts';
import { outcomeContext } from '#server/identity/session/shared-refresh.ts';
import { secretContext } from '#server/integrations/secrets/webhook-secret.ts';
import { outlineContext, partContext } from '#server/job-logs/log-parts.ts';
import { bodyContext } from '#server/outgoing-webhooks/webhook-body.ts';
import { subscriptionContext } from '#server/outgoing-webhooks/subscriptions/subscription-secrets.ts';
import { sealContext } from '#server/queue/messages/body-coding.ts';
import { segmentContext } from '#server/queue/messages/segment.ts';
import { signingKeyContext } from '#server/signing-keys/signing-keys.ts';
import { failureTextContext } from '#server/test-results/storing/failure-text.ts';
import { resultsContext } from '#server/test-results/storing/waiting-reports.ts';
import { headersContext } from '#server/trace-export/target.ts';

/** A column whose values are sealed with a key of `ENCRYPTION_KEY`. */
export interface SealedColumn {
  table: string;
  column: string;
  /** Columns that identify a row, with their types, in the order of an index. With `integration_id`, row-level security is forced. */
  key: Readonly<Record<string, string>>;
  /** Values in one transaction. */
  atOnce: number;
  /** What a value may be sealed for, from the text of its key. */
  contexts(row: Readonly<Record<string, string>>): string[];
  /** What an operator does about a value whose key is lost. */
  ifLost: string;
}

const few = 100;
/** For values of up to 1 MiB. */
const fewLarge = 10;

const ofIntegration = { integration_id: 'uuid' };
const column = (name: string): 'url' | 'secret' => (name === 'sealed_url' ? 'url' : 'secret');

const webhookSecret = (name: string): SealedColumn => ({
  table: 'integrations',
  column: name,
  key: ofIntegration,
  atOnce: few,
  contexts: (row) => [secretContext(row['integration_id']!)],
  ifLost: 'replace the webhook secret in the settings of the integration and at the forge',
});

const ofChannel = (name: string): SealedColumn => ({
  table: 'notification_channels',
  column: name,
  key: { ...ofIntegration, channel_id: 'uuid' },
  atOnce: few,
  contexts: (row) => [channelContext(row['integration_id']!, row['channel_id']!, column(name))],
  ifLost: 'enter the URL of the channel again, or add the channel again',
});

const ofSubscription = (name: string): SealedColumn => ({
  table: 'webhook_subscriptions',
  column: name,
  key: { ...ofIntegration, subscription_id: 'uuid' },
  atOnce: few,
  contexts: (row) => [subscriptionContext(row['integration_id']!, row['subscription_id']!, column(name))],
  ifLost: 'delete the webhook subscription and create it again',
});

/** The job whose log it is. */
const logOf = (row: Readonly<Record<string, string>>) => ({
  integrationId: row['integration_id']!,
  runId: Number(row['run_id']),
  attempt: Number(row['attempt']),
  jobId: Number(row['job_id']),
});

/** Everything in the database that is sealed. */
export const sealedColumns: readonly SealedColumn[] = [
  webhookSecret('webhook_secret'),
  webhookSecret('previous_webhook_secret'),
  {
    table: 'signing_key',
    column: 'private_key',
    key: { kid: 'text' },
    atOnce: few,
    contexts: (row) => [signingKeyContext(row['kid']!)],
    ifLost: 'delete these rows and restart; everybody must then sign in again',
  },
  {
    table: 'session_refresh',
    column: 'outcome',
    key: { token_hash: 'bytea' },
    atOnce: few,
    contexts: (row) => [outcomeContext(Buffer.from(row['token_hash']!.slice('\\x'.length), 'hex'))],
    ifLost: 'nothing, they end within a minute',
  },
  ofChannel('sealed_url'),
  ofChannel('sealed_secret'),
  ofSubscription('sealed_url'),
  ofSubscription('sealed_secret'),
  ofSubscription('sealed_previous_secret'),
  {
    table: 'forge_connections',
    column: 'sealed_token',
    key: ofIntegration,
    atOnce: few,
    contexts: (row) => [tokenContext(row['integration_id']!)],
    ifLost: 'enter the access token of the forge again in the settings of the integration',
  },
  {
    table: 'trace_exports',
    column: 'sealed_headers',
    key: ofIntegration,
    atOnce: few,
    contexts: (row) => [headersContext(row['integration_id']!)],
    ifLost: 'enter the headers of the trace export again',
  },
  {
    table: 'outgoing_webhooks',
    column: 'sealed_body',
    key: { ...ofIntegration, webhook_id: 'uuid' },
    atOnce: fewLarge,
    contexts: (row) => [bodyContext(row['integration_id']!, row['webhook_id']!)],
    ifLost: 'nothing, they are deleted with the delivery log',
  },
  {
    table: 'failure_reasons',
    column: 'sealed_excerpt',
    key: { ...ofIntegration, run_id: 'bigint', attempt: 'integer', job_id: 'bigint' },
    atOnce: few,
    contexts: (row) => [excerptContext(logOf(row))],
    ifLost: 'nothing, they are deleted with the failures; the forge still has the logs',
  },
  {
    table: 'job_logs',
    column: 'sealed_outline',
    key: { ...ofIntegration, run_id: 'bigint', attempt: 'integer', job_id: 'bigint' },
    atOnce: few,
    contexts: (row) => [outlineContext(logOf(row))],
    ifLost: 'nothing, the logs are deleted after LOG_CACHE_DAYS; the forge still has them',
  },
  {
    table: 'job_log_parts',
    column: 'sealed_lines',
    key: { ...ofIntegration, run_id: 'bigint', attempt: 'integer', job_id: 'bigint', part: 'integer' },
    atOnce: fewLarge,
    contexts: (row) => [partContext(logOf(row), Number(row['part']))],
    ifLost: 'nothing, the logs are deleted after LOG_CACHE_DAYS; the forge still has them',
  },
  {
    table: 'test_failures',
    column: 'sealed_text',
    key: { ...ofIntegration, test_id: 'uuid', report_id: 'uuid' },
    atOnce: few,
    contexts: ({ integration_id, test_id, report_id }) => [
      failureTextContext({ integrationId: integration_id!, testId: test_id!, reportId: report_id! }),
    ],
    ifLost: 'nothing, they are deleted with the failures of the tests',
  },
  {
    table: 'test_reports',
    column: 'sealed_results',
    key: { ...ofIntegration, report_id: 'uuid' },
    atOnce: fewLarge,
    contexts: (row) => [resultsContext(row['integration_id']!, row['report_id']!)],
    ifLost: 'upload the reports again',
  },
  {
    table: 'queue_segment',
    column: 'body',
    key: { segment_id: 'bigint' },
    atOnce: fewLarge,
    contexts: () => [segmentContext],
    ifLost: 'nothing, payloads are deleted after RETENTION_DAYS',
  },
  {
    table: 'large_payload',
    column: 'body',
    key: { payload_id: 'uuid', group_id: 'text' },
    // Up to tens of MiB.
    atOnce: 1,
    // Messages that were too large for Amazon SQS are here too.
    contexts: (row) => [sealContext(row['group_id']!), segmentContext],
    ifLost: 'nothing, payloads are deleted after RETENTION_DAYS',
  },
  {
    table: 'dead_letter',
    column: 'body',
    key: { message_id: 'bigint' },
    atOnce: fewLarge,
    contexts: () => [segmentContext],
    ifLost: 'drop them with forgewatch dead-letters drop, and send them again at the forge',
  },
];

export const nameOf = ({ table, column: name }: SealedColumn): string => `${table}.${name}`;

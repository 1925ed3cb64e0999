import { outlineContext, partContext } from '#server/job-logs/log-parts.ts';
import { randomBytes, randomUUID } from 'node:crypto';
import type pg from 'pg';
import type { Sealer } from '#platform/runtime/secrets/sealing.ts';
import { channelContext, openChannel } from '#server/alerts/channels/channel-secrets.ts';
import type { ChannelRow } from '#server/alerts/rules/rule-store.ts';
import { openExcerpt, sealExcerpt } from '#server/failures/storing/excerpt-sealing.ts';
import { tokenContext } from '#server/forges/tokens/open-token.ts';
import { openOutcome, outcomeContext } from '#server/identity/session/shared-refresh.ts';
import { secretContext } from '#server/integrations/secrets/webhook-secret.ts';
import {
  openSubscription,
  sealColumn,
} from '#server/outgoing-webhooks/subscriptions/subscription-secrets.ts';
import type { SubscriptionRow } from '#server/outgoing-webhooks/subscriptions/subscription-store.ts';
import { bodyOf, sealBody, type StoredBody } from '#server/outgoing-webhooks/webhook-body.ts';
import { loadLargePayload, storeLargePayload } from '#server/queue/messages/large-payload.ts';
import { openMessage, sealMessage } from '#server/queue/messages/segment.ts';
import { signingKeyContext } from '#server/signing-keys/signing-keys.ts';
import { openFailureText, sealFailureText } from '#server/test-results/storing/failure-text.ts';
import { resultsContext } from '#server/test-results/storing/waiting-reports.ts';
import { openTarget, sealHeaders } from '#server/trace-export/target.ts';
import { insertIntegration } from '#test/support/database/insert-integration.ts';
import { readRows } from '#test/support/database/rows.ts';
import type { TestDatabase } from '#test/support/database/test-database.ts';

/** What `sealEverything` stored, and how to read it back as the service does. */
export interface SealedRows {
  integrationId: string;
  /** The plain text of every sealed column, opened with another sealer. */
  openAll(sealer: Sealer): Promise<Record<string, unknown>>;
}

/** Stores a value in every sealed column: for one integration, and once where a column belongs to none. */
export async function sealEverything(database: TestDatabase, sealer: Sealer): Promise<SealedRows> {
  const seal = (text: string, context: string): Buffer => sealer.seal(Buffer.from(text), context);
  const [id, ruleId, channelId, subscriptionId, webhookId] = Array.from({ length: 5 }, () => randomUUID());
  const integrationId = id!;
  const job = { integrationId, runId: 5_000_000_001, attempt: 1, jobId: 7 };
  const tokenHash = randomBytes(32);
  const kid = randomUUID();
  const sealText = (text: string): Buffer =>
    sealMessage(sealer, { groupId: integrationId, body: Buffer.from(text) });
  const insert = (table: string, row: Record<string, unknown>): Promise<unknown> =>
    database.asOwner(
      `insert into ${table} (${Object.keys(row).join(', ')}) values (${Object.keys(row).map((_, index) => `$${index + 1}`)})`,
      Object.values(row),
    );

  const secret = secretContext(integrationId);
  await insertIntegration(database, integrationId, seal('current', secret), seal('previous', secret));
  await insert('signing_key', {
    kid,
    purpose: 'test',
    private_key: seal('key', signingKeyContext(kid)),
    signs_from: new Date(),
  });
  await insert('session_refresh', {
    token_hash: tokenHash,
    lease_until: new Date(),
    outcome: seal('{"kind":"refused"}', outcomeContext(tokenHash)),
  });
  const rule = { integration_id: integrationId, rule_id: ruleId };
  await insert('notification_rules', { ...rule, name: 'Rule', enabled: true, definition: '{}' });
  await insert('notification_channels', {
    ...rule,
    channel_id: channelId,
    position: 0,
    type: 'webhook',
    target: 'host',
    sealed_url: seal('channel url', channelContext(integrationId, channelId!, 'url')),
    sealed_secret: seal('channel secret', channelContext(integrationId, channelId!, 'secret')),
  });
  await insert('webhook_subscriptions', {
    integration_id: integrationId,
    subscription_id: subscriptionId,
    name: 'Chat',
    host: 'host',
    sealed_url: sealColumn(sealer, integrationId, subscriptionId!, 'url', 'subscription url'),
    sealed_secret: sealColumn(sealer, integrationId, subscriptionId!, 'secret', 'subscription secret'),
    sealed_previous_secret: sealColumn(sealer, integrationId, subscriptionId!, 'secret', 'earlier secret'),
    previous_secret_until: new Date(Date.now() + 3_600_000),
    event_types: ['run.completed'],
    enabled: true,
  });
  await insert('outgoing_webhooks', {
    integration_id: integrationId,
    webhook_id: webhookId,
    receiver_id: subscriptionId,
    receiver_kind: 'subscription',
    event_type: 'run.completed',
    status: 'sent',
    sealed_body: sealBody(sealer, integrationId, webhookId!, 'webhook body'),
  });
  await insert('forge_connections', {
    integration_id: integrationId,
    forge: 'gitea',
    url: 'https://gitea.example.com',
    sealed_token: seal('forge token', tokenContext(integrationId)),
    account_login: 'bot',
    permissions: [],
  });
  await insert('trace_exports', {
    integration_id: integrationId,
    url: 'https://traces.example.com',
    sealed_headers: sealHeaders(sealer, integrationId, { authorization: 'header' }),
    header_names: ['authorization'],
    enabled: false,
    metrics: false,
    at_most: 1,
    saved_at: new Date(),
  });
  const ofJob = {
    integration_id: integrationId,
    run_id: job.runId,
    attempt: job.attempt,
    job_id: job.jobId,
  };
  await insert('failure_reasons', {
    ...ofJob,
    failure_group_id: randomUUID(),
    repository: 'a/b',
    on_default_branch: true,
    job: 'build',
    error_line: 'error',
    sealed_excerpt: sealExcerpt(sealer, job, { excerpts: [], missing: 'end' }),
    failed_at: new Date(),
  });
  await insert('job_logs', {
    ...ofJob,
    state: 'complete',
    sealed_outline: seal('outline', outlineContext(job)),
  });
  await insert('job_log_parts', {
    ...ofJob,
    part: 0,
    first_line: 1,
    lines: 1,
    sealed_lines: seal('lines', partContext(job, 0)),
  });
  await insert('queue_segment', { accepted_at: new Date(), body: sealText('segment') });
  await insert('dead_letter', {
    message_id: Math.floor(Math.random() * 1e12),
    group_id: integrationId,
    deduplication_id: 'd',
    sent_at: new Date(),
    reason: 'invalid_json',
    body: sealText('dead letter'),
  });
  const failedTest = { integrationId, testId: randomUUID(), reportId: randomUUID() };
  const ofReport = { integration_id: integrationId, report_id: failedTest.reportId, run_id: 1, attempt: 1 };
  await insert('test_failures', {
    ...ofReport,
    test_id: failedTest.testId,
    job: '',
    on_main: true,
    passed: false,
    is_flaky: false,
    counts: true,
    retries: 0,
    message_key: 1,
    sealed_text: sealFailureText(sealer, failedTest, { message: 'test', trace: null }),
    at: new Date(),
  });
  await insert('test_reports', {
    ...ofReport,
    hash: randomBytes(32),
    job: '',
    suite: '',
    format: 'junit',
    tests: 1,
    failures: 1,
    skips: 0,
    flakes: 0,
    duration_ms: 1,
    faults: [],
    is_mass_failure: false,
    sealed_results: seal('results', resultsContext(integrationId, failedTest.reportId)),
  });
  const payloadRef = await storeLargePayload(database.api, sealer, integrationId, Buffer.from('large'));
  // A message that was too large for Amazon SQS.
  const messageRef = randomUUID();
  await insert('large_payload', { payload_id: messageRef, group_id: integrationId, body: sealText('sqs') });

  return {
    integrationId,
    openAll: async (other) => {
      const open = (sealed: Buffer, context: string): string => other.open(sealed, context).toString();
      const rowOf = async <Row extends object>(table: string, where: Record<string, string | Buffer>) =>
        (await readRows<Row & pg.QueryResultRow>(database, table, where))[0]!;
      const ofIntegration = { integration_id: integrationId };
      const openBody = (body: Buffer): string => openMessage(other, integrationId, body).toString();
      const integration = await rowOf<Record<string, Buffer>>('integrations', ofIntegration);
      const key = await rowOf<{ private_key: Buffer }>('signing_key', { kid });
      const refresh = await rowOf<{ outcome: Buffer }>('session_refresh', { token_hash: tokenHash });
      const channel = await rowOf<ChannelRow>('notification_channels', ofIntegration);
      const subscription = await rowOf<SubscriptionRow>('webhook_subscriptions', ofIntegration);
      const webhook = await rowOf<StoredBody>('outgoing_webhooks', ofIntegration);
      const forge = await rowOf<{ sealed_token: Buffer }>('forge_connections', ofIntegration);
      const trace = await rowOf<{ url: string; sealed_headers: Buffer }>('trace_exports', ofIntegration);
      const reason = await rowOf<{ sealed_excerpt: Buffer }>('failure_reasons', ofIntegration);
      const failure = await rowOf<{ sealed_text: Buffer }>('test_failures', ofIntegration);
      const report = await rowOf<{ sealed_results: Buffer }>('test_reports', ofIntegration);
      const log = await rowOf<{ sealed_outline: Buffer }>('job_logs', ofIntegration);
      const part = await rowOf<{ sealed_lines: Buffer }>('job_log_parts', ofIntegration);
      const deadLetter = await rowOf<{ body: Buffer }>('dead_letter', { group_id: integrationId });
      const message = await rowOf<{ body: Buffer }>('large_payload', { payload_id: messageRef });
      const segments = await readRows<{ body: Buffer }>(database, 'queue_segment');
      return {
        current: open(integration['webhook_secret']!, secret),
        previous: open(integration['previous_webhook_secret']!, secret),
        signingKey: open(key.private_key, signingKeyContext(kid)),
        outcome: openOutcome(other, tokenHash, refresh.outcome),
        channel: openChannel(other, integrationId, channel),
        subscription: openSubscription(other, integrationId, subscription, Date.now()),
        webhook: bodyOf(other, webhook),
        token: open(forge.sealed_token, tokenContext(integrationId)),
        trace: openTarget(other, integrationId, { url: trace.url, sealedHeaders: trace.sealed_headers }),
        excerpt: openExcerpt(other, job, reason.sealed_excerpt),
        outline: open(log.sealed_outline, outlineContext(job)),
        lines: open(part.sealed_lines, partContext(job, 0)),
        failedTest: openFailureText(other, failedTest, failure.sealed_text),
        results: open(report.sealed_results, resultsContext(integrationId, failedTest.reportId)),
        segment: segments.flatMap(({ body }) => openOwn(other, integrationId, body)),
        deadLetter: openBody(deadLetter.body),
        payload: (await loadLargePayload(database.worker, other, integrationId, payloadRef))?.toString(),
        message: openBody(message.body),
      };
    },
  };
}

/** The segment belongs to another integration when it does not open. */
function openOwn(sealer: Sealer, integrationId: string, body: Buffer): string[] {
  try {
    return [openMessage(sealer, integrationId, body).toString()];
  } catch {
    return [];
  }
}

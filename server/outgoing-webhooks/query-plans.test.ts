import { test } from 'node:test';
import type { Tx } from '#platform/database/database.ts';
import { insertEvents } from '#server/webhook-events/store.ts';
import { integrationId } from '#test/support/data/forge-events.ts';
import { assertIndexed, assertScales, estimatesOf } from '#test/support/database/query-plans.ts';
import { createTestDatabase } from '#test/support/database/test-database.ts';
import {
  countWaiting,
  deleteOldWebhooks,
  findWebhook,
  listAttempts,
  listWebhooks,
  lockFailed,
} from './log/log-store.ts';
import { findFirstWaiting, recordAttempt } from './sending/attempt-store.ts';
import { failWaiting, hastenFirst } from './sending/queue-store.ts';
import { listSubscriptions } from './subscriptions/subscription-store.ts';

const database = await createTestDatabase();
const { api, worker } = database;
const idAt = (kind: string, n: number | string): string =>
  `${kind}0000000-0000-4000-8000-${String(n).padStart(12, '0')}`;
const receiverId = idAt('c', 0);
const webhookId = idAt('d', 50);

/** Webhooks of receivers in as many integrations, `others` of 50 in other ones. Each waits, was sent or failed. */
async function fill(webhooks: number, others: number): Promise<void> {
  for (const table of ['outgoing_webhooks', 'webhook_subscriptions'])
    await database.asOwner(`truncate ${table} restart identity cascade`);
  const id = (kind: string, n: string): string =>
    `('${kind}0000000-0000-4000-8000-' || lpad((${n})::text, 12, '0'))::uuid`;
  const n50 = `greatest(n % 50 - ${49 - others}, 0)`;
  const own = `case ${n50} when 0 then $1::uuid else ${id('b', n50)} end`;
  const numbers = 'from generate_series(1, $2::int) n';
  for (const text of [
    `insert into integrations (integration_id, label, webhook_secret) select ${own}, 'Team', '\\x00'::bytea
     from generate_series(1, 50) n where $2 > 0 on conflict do nothing`,
    `insert into webhook_subscriptions (integration_id, subscription_id, name, host, sealed_url, sealed_secret, event_types, enabled)
     select ${own}, ${id('c', n50)}, 'Chat', 'example.com', '\\x00'::bytea, '\\x00'::bytea, '{run.completed}', true
     from generate_series(1, 50) n where $2 > 0 on conflict do nothing`,
    `insert into outgoing_webhooks (integration_id, webhook_id, receiver_id, receiver_kind, event_type, status, facts, created_at, attempts)
     select ${own}, ${id('d', 'n')}, ${id('c', n50)}, 'subscription', 'run.completed',
       (array['waiting', 'sent', 'failed'])[n / 50 % 3 + 1], '{}', now() - n * interval '1 minute', 3 ${numbers}`,
    `insert into outgoing_webhook_attempts (integration_id, webhook_id, number, at, duration_ms)
     select ${own}, ${id('d', 'n')}, a, now(), 1 ${numbers}, generate_series(1, 3) a`,
  ])
    await database.asOwner(text, [integrationId, webhooks]);
  await database.asOwner('analyze');
}

const attempt = { at: new Date(), durationMs: 1, statusCode: 500, problem: 'It failed.' };
const after = { status: 'waiting', waitMs: 1000, sealedBody: null } as const;
const page = { status: undefined, type: undefined, before: undefined };
const events = Array.from({ length: 50 }, (_, index) => ({ integrationId, key: String(index), facts: {} }));

const works: [string, 'api' | 'worker', (tx: Tx) => Promise<unknown>][] = [
  ['the next webhook of a receiver', 'worker', (tx) => findFirstWaiting(tx, integrationId, receiverId)],
  ['an attempt', 'worker', (tx) => recordAttempt(tx, integrationId, webhookId, attempt, after)],
  ['a receiver that is tried at once', 'api', (tx) => hastenFirst(tx, integrationId, receiverId)],
  ['the log', 'api', (tx) => listWebhooks(tx, integrationId, receiverId, page, 50)],
  [
    'the failed ones of the log',
    'api',
    (tx) => listWebhooks(tx, integrationId, receiverId, { ...page, status: 'failed' }, 50),
  ],
  [
    'those of a rare event in the log',
    'api',
    (tx) => listWebhooks(tx, integrationId, receiverId, { ...page, type: 'member.added' }, 50),
  ],
  ['a webhook', 'api', (tx) => findWebhook(tx, integrationId, webhookId)],
  ['its attempts', 'api', (tx) => listAttempts(tx, integrationId, webhookId, 50)],
];

/** Rows of these: a few for each integration. */
const small = ['webhook_subscriptions', 's', 'integrations'];

test('statements of outgoing webhooks use indexes, and cost the same with ten times the webhooks', async () => {
  const estimates = works.map(
    ([name, role, work]) => [name, () => estimatesOf(database[role], { integrationId }, work)] as const,
  );
  await assertScales(estimates, (rows) => fill(rows, 10), small);
});

test('statements that count, replay or delete webhooks of a receiver read only its rows, from an index', async () => {
  await fill(20_000, 49);
  const ofWorker = await estimatesOf(worker, { integrationId }, async (tx) => {
    await insertEvents(tx, 'run.completed', events);
    await deleteOldWebhooks(tx, integrationId, new Date(), 2000);
    await failWaiting(tx, integrationId, receiverId, 'It was disabled.');
  });
  const ofApi = await estimatesOf(api, { integrationId }, async (tx) => {
    await listSubscriptions(tx, integrationId);
    await countWaiting(tx, integrationId, receiverId, 10_000);
    await lockFailed(tx, integrationId, receiverId, { since: new Date(0), mostAttempts: 50, limit: 100 });
  });
  assertIndexed([...ofWorker, ...ofApi], small);
});

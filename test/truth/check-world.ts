import assert from 'node:assert/strict';
import { setTimeout as delay } from 'node:timers/promises';
import type { KillableProduct, Tenant } from '#test/support/product/killable-product.ts';
import { untilQueueIsIdle } from '#test/support/queue/idle-queue.ts';
import { compareWorld } from './compare/compare-world.ts';
import { openLive, type Live } from './product/live.ts';
import { areNoticesSent, noticesOf } from './product/notices.ts';
import { chatOf, mailboxOf, messagesOf } from './product/messages.ts';
import { postAll } from './product/post-world.ts';
import { readShown } from './product/shown.ts';
import type { Delivery } from './world/facts.ts';

/**
 * Rules are evaluated and notifications sent after a delivery is stored. A notification that was being sent by a process that was killed
 * is sent again after a minute. Only a failing test waits this long.
 */
const patienceMs = { calm: 15_000, interrupted: 90_000 };

const day = 24 * 3_600_000;

/** `RUN_RETENTION_DAYS` of the product. The story of a world keeps days away from it. */
export const retentionDays = 70;

/** Figures are compared over this time. */
const figureDays = 80;

/** Posts a world to an integration of its own. Returns what the product shows otherwise than the model. */
export async function checkWorld(
  product: KillableProduct,
  { name, posts, hasRule }: { name: string; posts: readonly Delivery[]; hasRule: boolean },
  onPosted?: () => void,
): Promise<string[]> {
  const now = Date.now();
  const times = { now, from: now - figureDays * day, retainedFrom: now - retentionDays * day };
  const tenant = await product.newTenant(name);
  const ruleId = hasRule ? await whileItIsAway(() => addRule(product, tenant)) : undefined;
  const live = await whileItIsAway(() => openLive(tenant));
  await postAll(product, tenant, posts, onPosted);
  await untilQueueIsIdle(product.database);
  const until = Date.now() + (onPosted === undefined ? patienceMs.calm : patienceMs.interrupted);
  let differences: string[];
  do {
    const areSent = ruleId === undefined || (await areNoticesSent(tenant, ruleId).catch(() => false));
    const compared = areSent
      ? compare(product, tenant, live, { posts, hasRule }, times)
      : Promise.reject(new Error('notifications are not sent yet'));
    differences = await compared.catch((error: unknown) => [`the product did not answer: ${String(error)}`]);
    if (differences.length > 0) await delay(500);
  } while (differences.length > 0 && Date.now() < until);
  live.close();
  return differences;
}

async function compare(
  product: KillableProduct,
  tenant: Tenant,
  live: Live,
  { posts, hasRule }: { posts: readonly Delivery[]; hasRule: boolean },
  times: Parameters<typeof compareWorld>[2],
): Promise<string[]> {
  const shown = await readShown(tenant, times.from);
  return compareWorld(
    posts,
    {
      shown,
      live,
      notices: noticesOf(product.receiver, `/${tenant.integrationId}`),
      messages: messagesOf(product, tenant),
    },
    times,
    hasRule,
  );
}

/** It matches every failure, and tells the receiver. */
async function addRule({ receiver }: KillableProduct, tenant: Tenant): Promise<string> {
  const { owner, path } = tenant;
  const origin = `https://127.0.0.1:${receiver.port}`;
  // A try that was interrupted may have added it.
  const known = await owner.call('GET', path('/notification-rules'));
  if (known.status === 503) throw new Error('the product is about to end');
  assert.equal(known.status, 200, JSON.stringify(known.body));
  const [rule] = known.body.items;
  if (rule !== undefined) return String(rule['ruleId']);
  const { status, body } = await owner.call('POST', path('/notification-rules'), {
    name: 'All failures',
    cooldownMinutes: 0,
    notifyOnRecovery: true,
    channels: [
      { type: 'webhook', url: `${origin}/${tenant.integrationId}` },
      { type: 'slack', url: `${origin}${chatOf(tenant)}` },
      { type: 'email', to: [mailboxOf(tenant)] },
    ],
  });
  if (status === 503) throw new Error('the product is about to end');
  assert.equal(status, 201, JSON.stringify(body));
  return String(body['ruleId']);
}

/** Repeats what failed because the product was killed. */
async function whileItIsAway<Result>(work: () => Promise<Result>): Promise<Result> {
  for (let tries = 0; ; tries += 1) {
    try {
      return await work();
    } catch (error) {
      if (tries === 100 || error instanceof assert.AssertionError) throw error;
      await delay(200);
    }
  }
}

import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { KillableProduct, Tenant } from '#test/support/product/killable-product.ts';
import { countRows } from '#test/support/database/rows.ts';
import { untilQueueIsIdle } from '#test/support/queue/idle-queue.ts';
import { waitUntil } from '#test/support/waiting/wait-until.ts';
import { compareWorld } from './compare/compare-world.ts';
import type { Names } from './compare/names.ts';
import { hideWorkflow } from './product/hide-workflow.ts';
import { openLive, type Live } from './product/live.ts';
import { areNoticesSent, noticesOf } from './product/notices.ts';
import { chatOf, mailboxOf, messagesOf } from './product/messages.ts';
import { postAll } from './product/post-world.ts';
import { readShown } from './product/shown.ts';
import type { Delivery } from './world/facts.ts';
import type { World } from './world/make-world.ts';

/**
 * Rules are evaluated and notifications sent after a delivery is stored. A notification that was being sent by a process that was killed
 * is sent again after a minute. Only a failing test waits this long.
 */
const patienceMs = { calm: 15_000, interrupted: 90_000 };

const day = 24 * 3_600_000;

/** `RUN_RETENTION_DAYS` of the product. The story of a world keeps days away from it. */
export const retentionDays = 70;

/** The same after somebody has shortened it. */
const shorterRetentionDays = 30;

/** Figures are compared over this time. */
const figureDays = 80;

export type CheckedWorld = Pick<World, 'name' | 'dialect' | 'posts' | 'hasRule' | 'hidden'>;

/** A world in an integration of its own, all of its deliveries posted. */
export interface EnteredWorld {
  /** What the product shows otherwise than the model. */
  differences(): Promise<string[]>;
  /** The same after retention was shortened, and the forge has sent everything once more. */
  differencesWithShorterRetention(): Promise<string[]>;
  close(): void;
}

export async function enterWorld(
  product: KillableProduct,
  world: CheckedWorld,
  onPosted?: () => void,
): Promise<EnteredWorld> {
  const now = Date.now();
  const ago = (days: number): number => now - days * day;
  const times = { now, from: ago(figureDays), retainedFrom: ago(retentionDays) };
  const tenant = await product.newTenant(world.name);
  const ruleId = world.hasRule ? await whileItIsAway(() => addRule(product, tenant)) : undefined;
  const live = await whileItIsAway(() => openLive(tenant));
  await postAll(product, tenant, world.posts, onPosted);
  await untilDecided(product, tenant);
  for (const workflow of world.hidden) await whileItIsAway(() => hideWorkflow(tenant, workflow, world.posts));
  const names: Names = new Map();

  async function untilNone(keptFrom: number): Promise<string[]> {
    const until = Date.now() + (onPosted === undefined ? patienceMs.calm : patienceMs.interrupted);
    let differences: string[];
    do {
      const areSent = ruleId === undefined || (await areNoticesSent(tenant, ruleId).catch(() => false));
      const compared = areSent
        ? compare(product, tenant, live, world, { ...times, keptFrom }, names)
        : Promise.reject(new Error('notifications are not sent yet'));
      differences = await compared.catch((error: unknown) => [
        `the product did not answer: ${String(error)}`,
      ]);
      if (differences.length > 0) await delay(500);
    } while (differences.length > 0 && Date.now() < until);
    return differences;
  }

  return {
    differences: () => untilNone(times.retainedFrom),
    differencesWithShorterRetention: async () => {
      // An older Gitea counts no attempts: what begins again with another id is a re-run.
      if (world.dialect !== 'old gitea') await postAll(product, tenant, world.posts.map(again));
      await untilDecided(product, tenant);
      return untilNone(ago(shorterRetentionDays));
    },
    close: () => live.close(),
  };
}

/** What the product decides with a delay takes longer on a busy machine, and says nothing about the world. */
async function untilDecided({ database }: KillableProduct, { integrationId }: Tenant): Promise<void> {
  await untilQueueIsIdle(database);
  for (const table of ['pending_conclusions', 'pending_evaluations'])
    await waitUntil(`no row of ${table}`, async () => {
      return (await countRows(database, table, { group_id: integrationId })) === 0;
    });
}

/** Enters a world, and compares it also after retention was shortened if some of it is older. */
export async function checkWorld(product: KillableProduct, world: CheckedWorld): Promise<string[]> {
  const entered = await enterWorld(product, world);
  try {
    const differences = await entered.differences();
    if (differences.length > 0 || !isAged(world)) return differences;
    await shortenRetention(product);
    return await entered.differencesWithShorterRetention();
  } finally {
    entered.close();
    if (isAged(world)) await product.stopAndStart();
  }
}

export const isAged = ({ posts }: CheckedWorld): boolean =>
  posts.some(
    ({ fact }) =>
      fact.kind === 'run' && (fact.createdAt ?? Infinity) < Date.now() - shorterRetentionDays * day,
  );

export const shortenRetention = (product: KillableProduct): Promise<void> =>
  product.stopAndStart({ RUN_RETENTION_DAYS: String(shorterRetentionDays) });

/** As a forge sends it again by hand, or another one that took its place. */
const again = (delivery: Delivery): Delivery => ({
  ...delivery,
  deliveryId: `${delivery.deliveryId.slice(0, 24)}${randomUUID().slice(24)}`,
});

async function compare(
  product: KillableProduct,
  tenant: Tenant,
  live: Live,
  { posts, hasRule, hidden }: CheckedWorld,
  times: Parameters<typeof compareWorld>[2],
  names: Names,
): Promise<string[]> {
  const shown = await readShown(tenant, times.from);
  return compareWorld(
    { posts, hasRule, hidden },
    {
      shown,
      live,
      notices: noticesOf(product.receiver, `/${tenant.integrationId}`),
      messages: messagesOf(product, tenant),
    },
    times,
    names,
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
  const done = await waitUntil('the product to be back', async () => {
    try {
      return { result: await work() };
    } catch (error) {
      if (error instanceof assert.AssertionError) throw error;
      return undefined;
    }
  });
  return done.result;
}

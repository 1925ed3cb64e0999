import assert from 'node:assert/strict';
import { setTimeout as delay } from 'node:timers/promises';
import type { KillableProduct, Tenant } from '#test/support/product/killable-product.ts';
import { untilQueueIsIdle } from '#test/support/queue/idle-queue.ts';
import { compareWorld } from './compare/compare-world.ts';
import { postAll } from './product/post-world.ts';
import { readShown } from './product/shown.ts';
import type { World } from './world/make-world.ts';

/** Rules are evaluated and notifications sent after a delivery is stored. Only a failing test waits this long. */
const patienceMs = 10_000;

/** Posts a world to an integration of its own. Fails with what the product shows otherwise than the model. */
export async function checkWorld(product: KillableProduct, world: World): Promise<void> {
  const now = Date.now();
  const tenant = await product.newTenant(world.name);
  await addRule(product, tenant);
  await postAll(product, tenant, world.posts);
  await untilQueueIsIdle(product.database);
  const until = Date.now() + patienceMs;
  let differences: string[];
  do {
    differences = compareWorld(world.posts, await readShown(tenant), now);
    if (differences.length === 0) return;
    await delay(300);
  } while (Date.now() < until);
  assert.fail(`${world.name} at ${world.dialect}, ${world.posts.length} posts:\n${differences.join('\n')}`);
}

/** It matches every failure, and tells the receiver. */
async function addRule({ receiver }: KillableProduct, { owner, path, integrationId }: Tenant): Promise<void> {
  const { status, body } = await owner.call('POST', path('/notification-rules'), {
    name: 'All failures',
    cooldownMinutes: 0,
    channels: [{ type: 'webhook', url: `https://127.0.0.1:${receiver.port}/${integrationId}` }],
  });
  assert.equal(status, 201, JSON.stringify(body));
}

import assert from 'node:assert/strict';
import { setTimeout as delay } from 'node:timers/promises';
import { postWebhook } from '#test/support/forge/post-webhook.ts';
import type { KillableProduct, Tenant } from '#test/support/product/killable-product.ts';
import type { Delivery } from '../world/facts.ts';

/** A post that is refused or breaks off, because the product was killed, is repeated with its delivery id. */
const mostTries = 200;

/** Posts one after the other, so that the order of arrival is that of the list. */
export async function postAll(
  { baseUrl }: KillableProduct,
  tenant: Tenant,
  posts: readonly Delivery[],
  onPosted?: () => void,
): Promise<void> {
  for (const { event, payload, deliveryId, headers } of posts) {
    for (let tries = 0; ; tries += 1) {
      assert.ok(tries < mostTries, 'the product took no webhook for a long time');
      const answer = await postWebhook(baseUrl, tenant, { event, payload, deliveryId, headers }).catch(
        () => undefined,
      );
      if (answer?.status === 200) break;
      const text = await answer?.text().catch(() => '');
      assert.ok(answer === undefined || answer.status === 503, `${answer?.status} ${text}`);
      await delay(100);
    }
    onPosted?.();
  }
}

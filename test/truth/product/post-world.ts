import assert from 'node:assert/strict';
import { postWebhook } from '#test/support/forge/post-webhook.ts';
import type { KillableProduct, Tenant } from '#test/support/product/killable-product.ts';
import { waitUntil } from '#test/support/waiting/wait-until.ts';
import type { Delivery } from '../world/facts.ts';

/** Posts one after the other, so that the order of arrival is that of the list. */
export async function postAll(
  { baseUrl }: KillableProduct,
  tenant: Tenant,
  posts: readonly Delivery[],
  onPosted?: () => void,
): Promise<void> {
  for (const { event, payload, deliveryId, headers } of posts) {
    // A post that is refused or breaks off, because the product was killed, is repeated with its delivery id.
    await waitUntil('the product to take a webhook', async () => {
      const sent = postWebhook(baseUrl, tenant, { event, payload, deliveryId, headers });
      const answer = await sent.catch(() => undefined);
      if (answer?.status === 200) return true;
      const text = await answer?.text().catch(() => '');
      assert.ok(answer === undefined || answer.status === 503, `${answer?.status} ${text}`);
      return false;
    });
    onPosted?.();
  }
}

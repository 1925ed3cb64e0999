import type { NotificationReceiver } from '#test/support/alerts/notification-receiver.ts';
import type { Tenant } from '#test/support/product/killable-product.ts';

/** A notification as its receiver got it. */
export interface Notice {
  webhookId: string;
  type: string;
  incidentId: string;
  title: string;
}

export function noticesOf({ callsTo }: NotificationReceiver, path: string): Notice[] {
  return callsTo(path).map(({ headers, body }) => {
    const { type, data } = JSON.parse(body) as {
      type: string;
      data: { title: string; incident: { incidentId: string } };
    };
    const { title, incident } = data;
    return { webhookId: String(headers['webhook-id']), type, incidentId: incident.incidentId, title };
  });
}

/** Whether no notification of the rule waits. */
export async function areNoticesSent({ owner, path }: Tenant, ruleId: string): Promise<boolean> {
  const { body } = await owner.call('GET', path(`/notification-rules/${ruleId}/deliveries?limit=100`));
  return body.items.every(({ status }) => status !== 'waiting');
}

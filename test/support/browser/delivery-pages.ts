import { runPayload } from '#test/support/data/forge-events.ts';
import { postWebhook } from '#test/support/forge/post-webhook.ts';
import type { Person, Team, TeamProduct } from '#test/support/team/team.ts';
import { openAs } from './page-session.ts';

interface Size {
  width: number;
  height: number;
}

export const phone: Size = { width: 390, height: 844 };

/** The pages about what the forge sent, and a forge that sends it. */
export function deliveryPages(product: TeamProduct) {
  const post = (
    team: Team,
    payload: object = runPayload(),
    more: { deliveryId?: string; headers?: Record<string, string> } = {},
  ) => postWebhook(product.baseUrl, team, { event: 'workflow_run', payload, ...more });

  /** Opens the list of deliveries, or with a query some of it. */
  async function openDeliveries(team: Team, who: Person, query = '', size?: Size) {
    const opened = await openAs(product, who, size);
    const open = (search = query) => opened.go(`/integrations/${team.integrationId}/deliveries${search}`);
    await open();
    const first = opened.page.getByRole('button', { name: /^Open delivery/ }).first();
    return { ...opened, open, first, dialog: opened.page.getByRole('dialog', { name: 'Delivery' }) };
  }

  async function openDeadLetters(team: Team, who: Person, size?: Size) {
    const opened = await openAs(product, who, size);
    await opened.go(`/integrations/${team.integrationId}/dead-letters`);
    return { ...opened, rows: opened.page.getByRole('row', { name: /invalid_payload/ }) };
  }

  return { post, openDeliveries, openDeadLetters };
}

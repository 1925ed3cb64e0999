import { randomUUID } from 'node:crypto';
import type { Incident, Notification } from '#contract/alerts/incidents.ts';
import { readIncidents, readNotifications } from '#server/alerts/incidents/reading/read-history.ts';
import { readRules } from '#server/alerts/rules/read-rules.ts';
import type { TestDatabase } from '#test/support/database/test-database.ts';

/** What the API answers about the incidents of an integration, oldest first. */
export async function incidentsOf({ api }: TestDatabase, integrationId: string): Promise<Incident[]> {
  const reader = { integrationId, userId: randomUUID() };
  const { items } = await api.withScope({ integrationId }, (tx) =>
    readIncidents(tx, reader, { limit: 100 }, Date.now()),
  );
  return items.toReversed();
}

/** What the API answers about the notifications of all rules of an integration, oldest first. */
export async function notificationsOf({ api }: TestDatabase, integrationId: string): Promise<Notification[]> {
  return api.withScope({ integrationId }, async (tx) => {
    const found: Notification[] = [];
    for (const { ruleId } of await readRules(tx, integrationId))
      found.push(...(await readNotifications(tx, integrationId, ruleId, { limit: 100 })).items);
    return found.toSorted((a, b) => a.createdAt.localeCompare(b.createdAt));
  });
}

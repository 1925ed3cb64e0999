import { countRows } from '#test/support/database/rows.ts';
import type { TestDatabase } from '#test/support/database/test-database.ts';
import { waitUntil } from '#test/support/waiting/wait-until.ts';

type Read = <Body>(integrationId: string, path: string) => Promise<Body>;

interface Deliveries {
  items: { verdict: string }[];
}

/** Waits until what was posted to the integration is stored, evaluated and explained. */
export async function settled(database: TestDatabase, read: Read, integrationId: string): Promise<void> {
  await waitUntil('everything to be processed', async () => {
    const { items } = await read<Deliveries>(integrationId, '/deliveries?limit=1');
    if (items.some(({ verdict }) => ['waiting', 'processing'].includes(verdict))) return false;
    const open = ['pending_failures', 'pending_evaluations', 'pending_conclusions'].map((table) =>
      countRows(database, table, { group_id: integrationId }),
    );
    if ((await Promise.all(open)).some((count) => count > 0)) return false;
    const tasks = await read<{ items: { kind: string }[] }>(integrationId, '/tasks');
    // Durations of tests are compared hours after a report.
    return tasks.items.every(({ kind }) => kind === 'test-durations');
  });
}

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Forge } from '#server/forges/port.ts';
import { insertIntegration } from '#test/support/database/insert-integration.ts';
import { createTestDatabase } from '#test/support/database/test-database.ts';
import { insertInstallation } from '#test/support/forge/insert-installation.ts';
import { insertIdleTask } from '#test/support/forge/insert-task.ts';
import { readHistory } from './read-history.ts';

const database = await createTestDatabase();

test('a list of pull requests without an end does not keep the task', async () => {
  const integrationId = await insertIntegration(database);
  await insertInstallation(database, 1, [integrationId]);
  await insertIdleTask(database, integrationId, 1, 'forge-history');
  await database.asOwner(
    `insert into linked_repositories (integration_id, installation_id, repository, history_next_page)
     values ($1, 1, 'acme/shop', 1)`,
    [integrationId],
  );
  let pages = 0;
  const forge: Pick<Forge, 'listPullRequests' | 'listRuns'> = {
    listPullRequests: async () => {
      pages += 1;
      if (pages > 1000) throw new Error('still reading');
      return { pullRequests: [{ updated_at: new Date().toISOString(), merged_at: null }], isLast: false };
    },
    listRuns: async () => ({ runs: [], isLast: true }),
  };
  const next = await readHistory(
    {
      db: database.worker,
      clock: Date.now,
      forges: { ofConnection: async () => forge as Forge } as never,
      record: async () => {},
      runRetentionDays: undefined,
    },
    {
      kind: 'forge-history',
      integrationId,
      key: '1',
      installationId: '1',
      account: 'acme',
      isLinked: true,
      isSuspended: false,
      isGone: false,
      since: new Date(0),
      startedAt: new Date(),
      failures: 0,
    },
  );
  assert.equal(next, 0);
  assert.ok(pages <= 200, String(pages));
});

import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import pino from 'pino';
import { makeListener } from '#platform/database/listener.ts';
import { createTestDatabase } from '#test/support/database/test-database.ts';
import { waitUntil } from '#test/support/waiting/wait-until.ts';
import { countRows, deleteRows, readRows, updateRows } from '#test/support/database/rows.ts';
import { insertIntegration } from '#test/support/database/insert-integration.ts';
import { insertInstallation } from '#test/support/forge/insert-installation.ts';
import type { ForgeApi } from '../forge-api.ts';
import { makeSyncDue, upsertOrganizationMember } from '../store.ts';
import { makeMemberSync } from './sync-members.ts';

const database = await createTestDatabase();

before(async () => {
  await insertInstallation(database, 1, [await insertIntegration(database)], { isDue: true });
});

/**
 * A sync of an organization of three pages, each of one member; `onPage` is called before each, and `onAsk` before it is said
 * that somebody is in none of them.
 */
function makeSync(
  onPage: (page: number) => unknown,
  onAsk: () => Promise<unknown> = async () => {},
  nameOf = () => 'acme',
  { longestMs, lastPage = 3 }: { longestMs?: number; lastPage?: number } = {},
) {
  const api: Pick<ForgeApi, 'readInstallation' | 'listMembers' | 'isMember'> = {
    readInstallation: async () => ({
      account: { id: 1, login: nameOf(), type: 'Organization' },
      isSuspended: false,
    }),
    listMembers: async (_installation, _organization, page) => {
      await onPage(page);
      return { members: [{ id: page, login: `member-${page}` }], isLast: page === lastPage };
    },
    isMember: async () => (await onAsk()) === true,
  };
  const log = pino({ enabled: false });
  const listener = makeListener(database.worker.connection, log);
  const deps = { db: database.worker, api: api as ForgeApi, log, listener, role: 'member' } as const;
  return makeMemberSync(longestMs === undefined ? deps : { ...deps, longestMs });
}

test('a stopped sync ends after its page, and the next one continues behind it', async () => {
  const pages: number[] = [];
  const stopped: Promise<void>[] = [];
  const first = makeSync((page) => {
    pages.push(page);
    stopped.push(first.stop());
  });
  await first.start();
  await waitUntil('the first page to be asked for', () => stopped.length > 0);
  await Promise.all(stopped);
  assert.deepEqual(pages, [1]);
  const kept = { sync_next_page: 2, sync_error: null };
  assert.equal(await countRows(database, 'forge_installations', kept), 1, 'it is no failure');

  const now = new Date();
  await updateRows(database, 'forge_installations', { sync_leased_until: now, sync_due_at: now });
  const second = makeSync((page) => pages.push(page));
  await second.start();
  await waitUntil('the sync to be finished', async () => {
    const unfinished = await countRows(database, 'forge_installations', { sync_finished_at: null });
    return unfinished === 0;
  });
  await second.stop();
  assert.deepEqual(pages, [1, 2, 3]);
});

const isDueAgain = async () => {
  const idle = { sync_leased_until: null };
  const [row] = await readRows<{ sync_due_at: Date }>(database, 'forge_installations', idle);
  return Number(row?.sync_due_at) > Date.now() + 30_000;
};

for (const [name, fails, expected] of [
  ['is read', false, [1, 2, 3, 1, 2, 3]],
  ['fails', true, [1, 2, 1, 2, 3]],
] as const) {
  test(`a sync that is requested while one ${name} starts at the first page`, async () => {
    const pages: number[] = [];
    const sync = makeSync(async (page) => {
      pages.push(page);
      if (pages.length !== 2) return;
      await database.worker.withScope('service', (tx) => makeSyncDue(tx, '1'));
      if (fails) throw new Error('the forge stumbles');
    });
    await database.worker.withScope('service', (tx) => makeSyncDue(tx, '1'));
    await sync.start();
    await waitUntil('the next sync to be a day away', isDueAgain);
    await sync.stop();
    assert.deepEqual(pages, expected);
  });
}

test('an event that arrives during a sync overrides what the sync has read', async () => {
  const tell = (forgeId: number, isMember: boolean, at = new Date()) =>
    database.worker.withScope('service', async (tx) => {
      await upsertOrganizationMember(tx, { installationId: '1', forgeId, login: 'x', isMember, at });
    });
  await tell(4, true, new Date(Date.now() - 3_600_000));
  const sync = makeSync(
    (page) => page === 3 && tell(3, false),
    () => tell(4, true),
  );
  await database.worker.withScope('service', (tx) => makeSyncDue(tx, '1'));
  await sync.start();
  await waitUntil('the next sync to be a day away', isDueAgain);
  await sync.stop();
  const members = await readRows(database, 'organization_members', { is_member: true });
  assert.deepEqual(members.map(({ forge_id: forgeId }) => Number(forgeId)).sort(), [1, 2, 4]);
});

test('an organization that is renamed while missing members are looked up loses none', async () => {
  let name = 'acme';
  const sync = makeSync(
    () => {},
    async () => void (name = 'acme-new'),
    () => name,
  );
  await database.worker.withScope('service', (tx) => makeSyncDue(tx, '1'));
  await sync.start();
  await waitUntil('the sync to fail', async () => {
    const [row] = await readRows<{ sync_error: string | null }>(database, 'forge_installations', {});
    return row?.sync_error !== null;
  });
  await sync.stop();
  assert.equal(await countRows(database, 'organization_members', { forge_id: 4, is_member: true }), 1);
});

const requestSync = () => database.worker.withScope('service', (tx) => makeSyncDue(tx, '1'));

test('a sync that takes too long pauses, and continues behind the pages and members that it has checked', async () => {
  await deleteRows(database, 'organization_members');
  const missing = [21, 22, 23];
  for (const forgeId of missing)
    await database.worker.withScope('service', async (tx) => {
      const at = new Date(Date.now() - 3_600_000);
      await upsertOrganizationMember(tx, { installationId: '1', forgeId, login: 'x', isMember: true, at });
    });
  const pages: number[] = [];
  let asked = 0;
  // Each run has time for one call.
  const sync = makeSync(
    (page) => pages.push(page),
    async () => {
      asked += 1;
      return true;
    },
    undefined,
    { longestMs: 0 },
  );
  await updateRows(database, 'forge_installations', { sync_next_page: null, sync_leased_until: null });
  await requestSync();
  await sync.start();
  await waitUntil('the next sync to be a day away', isDueAgain);
  await sync.stop();
  assert.deepEqual(pages, [1, 2, 3]);
  assert.equal(asked, missing.length);
});

test('a list of members without an end ends', async (t) => {
  let last = 0;
  const readPage = (page: number): void => {
    last = page;
    assert.ok(page <= 1000, `page ${page}`);
  };
  const sync = makeSync(readPage, undefined, undefined, { lastPage: Infinity });
  t.after(() => sync.stop());
  await requestSync();
  await sync.start();
  await waitUntil('the next sync to be a day away', isDueAgain);
  assert.equal(last, 1000);
});
